#!/bin/sh
# Installs, upgrades or removes ThreadMind, one executable. See `sh install.sh --help`.
# Everything is in functions that the last line calls: a script that was cut on its way does nothing.
set -eu

REPOSITORY='https://github.com/mahmoud-nb/thread-mind-mcp' # rendered from package.json by build/release_check.ts

help() {
  cat <<END
Installs threadmind, or upgrades it: run it again.

  curl -fsSL $REPOSITORY/releases/latest/download/install.sh | sh
  curl -fsSL $REPOSITORY/releases/latest/download/install.sh | sh -s -- --version 1.2.3

  --version VERSION   this version, with or without v, instead of the latest release
  --dir DIR           the folder for the program, instead of ~/.local/bin
  --from-source       compile the checkout this script lies in, instead of downloading; needs npm's npx, or Bun
  --force             also replace a program that Homebrew, Scoop or npm put there
  --quiet             say nothing but errors
  --uninstall         remove the program; .threadmind/ folders in your projects stay as they are
  --help              show this

Variables, each for the option of its name; an option wins:
  THREADMIND_VERSION        as --version
  THREADMIND_INSTALL_DIR    as --dir
  THREADMIND_DOWNLOAD_BASE  where the files of a release are, instead of the repository's releases: an https:// or
                            file:// folder, in which --version looks in the folder v<version>
  THREADMIND_SKIP_CHECKSUM  1: go on where neither sha256sum nor shasum nor openssl is there to check the download

It never asks for root, and edits no file of your shell: it prints the line to add to PATH.
END
}

say() { [ "$quiet" = 1 ] || printf '%s\n' "$*"; }
warn() { printf 'threadmind: %s\n' "$*" >&2; }
fail() {
  warn "$1"
  shift
  for line; do printf '%s\n' "$line" >&2; done
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

main() {
  version=${THREADMIND_VERSION:-}
  dir=${THREADMIND_INSTALL_DIR:-}
  base=${THREADMIND_DOWNLOAD_BASE:-}
  task=download
  quiet=0
  force=0
  work=
  new=
  while [ $# -gt 0 ]; do
    case $1 in
      --version | --dir)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "Cannot read $1: a value is missing"; fi
        if [ "$1" = --dir ]; then dir=$2; else version=$2; fi
        shift
        ;;
      --version=*) version=${1#*=} ;;
      --dir=*) dir=${1#*=} ;;
      --from-source) task=compile ;;
      --uninstall) task=uninstall ;;
      --force) force=1 ;;
      --quiet) quiet=1 ;;
      --help | -h)
        help
        exit 0
        ;;
      *) fail "Cannot read \"$1\": it is no option of this script" "Try --help" ;;
    esac
    shift
  done
  version=${version#v}
  [ "$version" != latest ] || version=
  case $version in *[!0-9A-Za-z.+-]*) fail "Cannot install version \"$version\": that is no version" ;; esac
  if [ -z "$dir" ] && [ "$task" = uninstall ]; then dir=$(receipt_value dir); fi
  if [ -z "$dir" ]; then
    [ -n "${HOME:-}" ] || fail "Cannot choose a folder: HOME is not set" "Name one with --dir DIR"
    dir=$HOME/.local/bin
  fi
  case $dir in
    [~]/*) dir=$HOME/${dir#??} ;; # as in --dir=~/bin, which no shell has expanded
    /*) ;;
    *) dir=$(pwd)/$dir ;;
  esac
  [ "$dir" = / ] || dir=${dir%/}
  target=$dir/threadmind

  if [ "$task" = uninstall ]; then
    uninstall
    return
  fi
  umask 022
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  refuse_foreign_owner replace
  if [ "$task" = compile ]; then
    compile
  else
    download
  fi
}

clean_up() {
  [ -z "$work" ] || rm -rf "$work"
  [ -z "$new" ] || rm -f "$new"
}

# ---- where it goes

receipt() {
  data=${XDG_DATA_HOME:-${HOME:+$HOME/.local/share}}
  printf '%s' "${data:+$data/threadmind/install.json}"
}

receipt_value() {
  [ -f "$(receipt)" ] || return 0
  sed -n "s/^ *\"$1\": \"\\(.*\\)\",\\{0,1\\}\$/\\1/p" "$(receipt)" | sed 's/\\\(["\\]\)/\1/g'
}

write_receipt() {
  file=$(receipt)
  [ -n "$file" ] || return 0
  quoted=$(printf '%s' "$dir" | sed 's/["\\]/\\&/g')
  # Only a note for next time: the program works without it.
  {
    mkdir -p "${file%/*}" &&
      printf '{\n  "method": "%s",\n  "dir": "%s",\n  "version": "%s",\n  "sha256": "%s"\n}\n' \
        "$1" "$quoted" "$2" "$3" >"$file.new" &&
      mv -f "$file.new" "$file"
  } 2>/dev/null || warn "Cannot write $file: upgrading will download again even if nothing has changed"
}

# Who else looks after the program that lies there, by where its links lead.
owner_of() {
  path=$1
  hops=0
  while [ -L "$path" ] && [ $hops -lt 20 ]; do
    link=$(readlink "$path")
    case $link in
      /*) path=$link ;;
      *) path=${path%/*}/$link ;;
    esac
    hops=$((hops + 1))
  done
  case $path in
    */Cellar/* | */homebrew/* | */linuxbrew/*) echo Homebrew ;;
    */scoop/*) echo Scoop ;;
    */node_modules/*) echo npm ;;
    *) if [ -f "$1" ] && head -c 200 "$1" 2>/dev/null | grep -q 'node_modules\|env node'; then echo npm; fi ;;
  esac
}

refuse_foreign_owner() {
  [ "$force" = 0 ] || return 0
  owner=$(owner_of "$target")
  case $owner in
    Homebrew) set -- "$1" 'brew upgrade threadmind' 'brew uninstall threadmind' ;;
    Scoop) set -- "$1" 'scoop update threadmind' 'scoop uninstall threadmind' ;;
    npm) set -- "$1" 'npm install --global thread-mind-mcp' 'npm uninstall --global thread-mind-mcp' ;;
    *) return 0 ;;
  esac
  fail "Cannot $1 $target: $owner put it there" \
    "Upgrade it with: $2" "Or remove it with: $3" "Or choose another folder with --dir, or insist with --force"
}

make_folder() {
  mkdir -p "$dir" 2>/dev/null || fail "Cannot create $dir" "Choose a folder of yours with --dir DIR"
  if [ -d "$target" ]; then fail "Cannot write $target: a folder lies there" "Choose another folder with --dir DIR"; fi
  # Beside the old program: there a rename replaces it in one step, even while it runs.
  new=$dir/.threadmind-new.$$
  (: >"$new") 2>/dev/null || {
    new=
    fail "Cannot write into $dir" "Choose a folder of yours with --dir DIR; this script needs no root and asks for none"
  }
}

# ---- what this machine is

detect_platform() {
  system=$(uname -s)
  machine=$(uname -m)
  case $system in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN* | Windows_NT)
      fail "Cannot install for $system with this script: Windows has its own" \
        "Run in PowerShell: irm $REPOSITORY/releases/latest/download/install.ps1 | iex"
      ;;
    *) unsupported ;;
  esac
  case $machine in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) unsupported ;;
  esac
  libc=
  if [ $os = darwin ]; then
    # A shell under Rosetta sees an Intel machine.
    if [ $arch = x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then arch=arm64; fi
  else
    [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] || unsupported "a 32-bit system"
    libc=$(detect_libc)
  fi
  platform=$os-$arch$libc
}

detect_libc() {
  case $(ldd --version 2>&1 || :) in
    *musl*) echo -musl ;;
    *GLIBC* | *"GNU libc"* | *"Free Software Foundation"*) ;;
    *)
      if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then return; fi
      for loader in /lib/ld-musl-*; do if [ -e "$loader" ]; then echo -musl; fi; done
      ;;
  esac
}

unsupported() {
  fail "Cannot install for $system on $machine${1:+, $1}: there is no program for it" \
    "There are: linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl, darwin-x64, darwin-arm64, windows-x64, windows-arm64" \
    "In a checkout, try: sh install.sh --from-source"
}

# ---- downloading

fetch() {
  case $1 in
    file://*)
      cp "${1#file://}" "$2" 2>/dev/null || fail "Cannot read ${1#file://}: no such file"
      return
      ;;
    https://*) secure="--proto =https --tlsv1.2" ;;
    http://127.* | http://localhost[:/]*) secure="--proto =http,https" ;;
    http://*)
      warn "$1 is not encrypted: who controls the way controls what you install"
      secure="--proto =http,https"
      ;;
    *) fail "Cannot download from \"$1\": addresses begin with https:// or file://" ;;
  esac
  if has curl; then
    # shellcheck disable=SC2086 # words on purpose
    curl $secure -fsSL --retry 3 --connect-timeout 20 -o "$2" "$1" || not_fetched "$1"
  elif has wget; then
    wget -q -O "$2" "$1" || not_fetched "$1"
  else
    fail "Cannot download: neither curl nor wget is here" "Install one of them, or download the files of a release on" \
      "another machine and name their folder: THREADMIND_DOWNLOAD_BASE=file:///folder"
  fi
}

not_fetched() {
  fail "Cannot download $1" "Look at $REPOSITORY/releases, or try again; behind a proxy, set https_proxy"
}

sha256_of() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    [ "${THREADMIND_SKIP_CHECKSUM:-}" = 1 ] || fail "Cannot check the download: sha256sum, shasum and openssl are missing" \
      "Install one of them, or set THREADMIND_SKIP_CHECKSUM=1 to do without the check"
    warn "The download is not checked, as THREADMIND_SKIP_CHECKSUM says"
    echo unchecked
  fi
}

download() {
  detect_platform
  archive=threadmind-$platform.tar.gz
  if [ -n "$base" ]; then
    base=${base%/}${version:+/v$version}
  elif [ -n "$version" ]; then
    base=$REPOSITORY/releases/download/v$version
  else
    base=$REPOSITORY/releases/latest/download
  fi
  if [ -n "$version" ] && [ "$(version_of "$target")" = "$version" ]; then
    already_there "$version"
    return
  fi
  work=$(mktemp -d) || fail "Cannot create a temporary folder" "Set TMPDIR to a folder you can write"
  fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(sed -n "s/^\\([0-9a-f]\\{64\\}\\) [ *]$archive\$/\\1/p" "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "Cannot install for $platform: $base/SHA256SUMS names no $archive"
  if [ "$(receipt_value sha256)" = "$expected" ] && [ "$(receipt_value dir)" = "$dir" ]; then
    installed=$(version_of "$target")
    if [ -n "$installed" ] && [ "$installed" = "$(receipt_value version)" ]; then
      already_there "$installed"
      return
    fi
  fi
  make_folder
  say "Downloading $base/$archive"
  fetch "$base/$archive" "$work/$archive"
  found=$(sha256_of "$work/$archive")
  if [ "$found" != "$expected" ] && [ "$found" != unchecked ]; then
    fail "Cannot install $archive: its checksum is not the one in SHA256SUMS, so it was damaged or changed" \
      "expected $expected" "found    $found" "Nothing was installed; try again"
  fi
  has tar || fail "Cannot unpack $archive: tar is missing"
  tar -xzf "$work/$archive" -C "$work" || fail "Cannot unpack $archive"
  put_in_place "$work/threadmind-$platform/threadmind" download "$expected"
}

# ---- compiling

compile() {
  source=$(cd "$(dirname "$0")" 2>/dev/null && pwd) || source=
  [ -f "$source/build/compile.ts" ] || source=$(pwd)
  [ -f "$source/build/compile.ts" ] || fail "Cannot compile: neither the script's folder nor this one is a checkout" \
    "git clone $REPOSITORY, then: sh install.sh --from-source"
  needed=$(sed -n 's/^ *"bun-types": "\([0-9.]*\)".*/\1/p' "$source/package.json")
  if has bun && [ "$(bun --version)" = "$needed" ]; then
    bun=bun
  elif has npx; then
    bun="npx --yes bun@$needed"
  else
    fail "Cannot compile: neither Bun $needed nor npx is here" "Install Node with npm, or Bun $needed"
  fi
  make_folder
  work=$(mktemp -d)
  say "Compiling $source"
  # shellcheck disable=SC2086 # words on purpose
  (cd "$source" && $bun install --frozen-lockfile --no-summary && $bun build/compile.ts --output "$work") >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "Cannot compile $source"
  }
  version=
  platform=source
  put_in_place "$work/threadmind" source ""
}

# ---- putting in place

version_of() {
  [ -x "$1" ] && [ -f "$1" ] || return 0
  ("$1" --version </dev/null 2>/dev/null || :) | sed -n '1s/^threadmind \([^ ]*\)$/\1/p'
}

already_there() {
  say "threadmind $1 is already in $dir: nothing to do"
  advise_path
}

put_in_place() {
  cp "$1" "$new" || fail "Cannot write into $dir: is the disk full?"
  chmod 755 "$new"
  # The old program stays until the new one has run, on this very file system.
  if ! answer=$("$new" --version </dev/null 2>&1); then explain_failure "$answer"; fi
  case $answer in
    "threadmind "*) ;;
    *) explain_failure "$answer" ;;
  esac
  got=${answer#threadmind }
  if [ -n "$version" ] && [ "$got" != "$version" ]; then
    fail "Cannot install version $version: $base holds $got"
  fi
  before=$(version_of "$target")
  mv -f "$new" "$target" || fail "Cannot replace $target"
  new=
  write_receipt "$2" "$got" "$3"
  case $before in
    "") say "Installed threadmind $got: $target" ;;
    "$got") say "Installed threadmind $got again: $target" ;;
    *) say "Upgraded threadmind $before to $got: $target" "(sessions that are open go on with $before)" ;;
  esac
  advise_path
}

explain_failure() {
  set -- "Cannot install: the program for $platform does not run here, so nothing was changed" "It says: $1"
  case $platform in
    *-musl) set -- "$@" "It needs two libraries. On Alpine: apk add libstdc++ libgcc" ;;
    linux-*) set -- "$@" "It needs glibc 2.17 or later: see ldd --version. A folder mounted noexec refuses it too: try --dir DIR" ;;
    darwin-*) set -- "$@" "It needs macOS 13 or later" ;;
  esac
  fail "$@"
}

advise_path() {
  case :${PATH:-}: in
    *:"$dir":* | *:"$dir/":*)
      first=$(command -v threadmind 2>/dev/null || :)
      case $first in
        "" | "$target" | "$dir//threadmind") ;;
        *) warn "Another threadmind comes first on PATH: $first" ;;
      esac
      return 0
      ;;
  esac
  shown=$dir
  case $dir in "${HOME:-/nowhere}"/*) shown="\$HOME/${dir#"$HOME"/}" ;; esac
  say ""
  say "$dir is not on your PATH. Add it, for this shell and those to come:"
  case ${SHELL:-} in
    */fish) say "  fish_add_path \"$shown\"" ;;
    */zsh) path_line .zshrc ;;
    */bash) if [ "$(uname -s)" = Darwin ]; then path_line .bash_profile; else path_line .bashrc; fi ;;
    *) path_line .profile ;;
  esac
}

path_line() {
  say "  export PATH=\"$shown:\$PATH\""
  say "  echo 'export PATH=\"$shown:\$PATH\"' >> ~/$1"
}

uninstall() {
  if [ ! -e "$target" ] && [ ! -L "$target" ]; then
    say "There is no $target: nothing to remove"
  else
    refuse_foreign_owner remove
    rm -f "$target" 2>/dev/null || fail "Cannot remove $target: the folder is not yours to write"
    say "Removed $target"
  fi
  if [ -n "$(receipt)" ] && [ "$(receipt_value dir)" = "$dir" ]; then
    rm -f "$(receipt)"
    rmdir "$(dirname "$(receipt)")" 2>/dev/null || :
  fi
  say "Threads stay where they are, in .threadmind/ of each project. A client you connected still names the program:" \
    "take it out of the client's settings."
}

main "$@"
