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
  --force             also replace or remove a threadmind that this script did not put there
  --quiet             say nothing but errors
  --uninstall         remove the program; .threadmind/ folders in your projects stay as they are. Before it, take the
                      program out of the clients that start it: threadmind setup CLIENT --remove
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

# What every program of ours has in it, and no other file called threadmind: the address of a thread.
MARK='threadmind://thread/'

# Whoever stops reading what is said here, as `| head -1` does, stops nothing else.
say() { [ "$quiet" = 1 ] || printf '%s\n' "$*" 2>/dev/null || :; }
warn() { printf 'threadmind: %s\n' "$*" >&2 || :; }
fail() {
  warn "$1"
  shift
  for line; do printf '%s\n' "$line" >&2 || :; done
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

main() {
  # CDPATH sends cd elsewhere; the two others make another program of what Bun compiled.
  unset CDPATH BUN_BE_BUN BUN_OPTIONS
  version=${THREADMIND_VERSION:-}
  dir=${THREADMIND_INSTALL_DIR:-}
  base=${THREADMIND_DOWNLOAD_BASE:-}
  task=download
  quiet=0
  force=0
  work=
  new=
  warned=0
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
  if [ "$task" = compile ] && [ -n "$version" ]; then
    fail "Cannot compile version $version: --from-source compiles the checkout as it is" \
      "Get that version with git checkout v$version, and leave out --version and THREADMIND_VERSION"
  fi
  choose_folder

  trap '' PIPE
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  if [ "$task" = uninstall ]; then
    uninstall
    return
  fi
  refuse_foreign replace
  work=$(mktemp -d) || fail "Cannot create a temporary folder" "Set TMPDIR to a folder you can write"
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

choose_folder() {
  if [ -z "$dir" ] && [ "$task" = uninstall ]; then dir=$(receipt_value dir); fi
  case $dir in
    '' | [~] | [~]/*) [ -n "${HOME:-}" ] || fail "Cannot choose a folder: HOME is not set" "Name one with --dir DIR" ;;
  esac
  case $dir in
    '') dir=$HOME/.local/bin ;;
    [~] | [~]/*) dir=$HOME${dir#?} ;; # as in --dir=~/bin, which no shell has expanded
    /*) ;;
    *) dir=$(pwd)/$dir ;;
  esac
  case $dir in *[[:cntrl:]]*) fail "Cannot choose a folder: there is a line break or the like in its name" ;; esac
  dir=$(without_dots "$dir")
  target=${dir%/}/threadmind
}

# An absolute path without empty parts, . and .. in it, as cd takes them.
without_dots() (
  IFS=/
  set -f
  path=
  # shellcheck disable=SC2086 # words on purpose
  set -- $1
  for part; do
    case $part in
      '' | .) ;;
      ..) path=${path%/*} ;;
      *) path=$path/$part ;;
    esac
  done
  printf '%s' "${path:-/}"
)

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

# Where a path leads, link by link.
followed() (
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
  without_dots "$path"
)

# Without running it: nobody knows what a stranger's program does.
is_ours() {
  [ -f "$1" ] || return 1
  [ -s "$1" ] || return 0
  LC_ALL=C grep -qF "$MARK" "$1" 2>/dev/null && return
  # What was damaged has lost its mark. A script in its place was somebody's decision.
  [ "$(receipt_value dir)" = "$dir" ] && [ "$(head -c 2 "$1" | tr -d '\000')" != '#!' ]
}

# Ends the script if what lies in the program's place is somebody else's; $1 is what was to be done with it.
refuse_foreign() {
  [ -e "$target" ] || [ -L "$target" ] || return 0
  if [ -d "$target" ]; then fail "Cannot $1 $target: a folder lies there" "Choose another folder with --dir DIR"; fi
  [ "$force" = 0 ] || return 0
  source=$(followed "$target")
  owner=
  case $source in
    */Cellar/threadmind/*)
      owner=Homebrew
      set -- "$1" 'brew upgrade threadmind' 'brew uninstall threadmind'
      ;;
    */node_modules/thread-mind-mcp/*) owner=npm ;;
    # Some package managers put a script there that names the launcher.
    *) if [ -f "$source" ] && head -c 4096 "$source" | grep -aq '/node_modules/thread-mind-mcp/'; then owner=npm; fi ;;
  esac
  [ "$owner" != npm ] || set -- "$1" 'npm install --global thread-mind-mcp' 'npm uninstall --global thread-mind-mcp'
  [ -z "$owner" ] || fail "Cannot $1 $target: $owner put it there" \
    "Upgrade it with: $2" "Or remove it with: $3" "Or choose another folder with --dir, or insist with --force"
  if [ -L "$target" ]; then
    fail "Cannot $1 $target: it is a link to $source" \
      "Remove the link, or name with --dir the folder it leads to" "Or insist with --force: then the link goes, and what it leads to stays"
  fi
  is_ours "$target" || fail "Cannot $1 $target: it is no program of ThreadMind" \
    "Look what it is and move it away, or choose another folder with --dir" "Or insist with --force: then it is lost"
}

make_folder() {
  mkdir -p "$dir" 2>/dev/null || fail "Cannot create $dir" "Choose a folder of yours with --dir DIR"
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
    "Use it on one of those, or ask for yours: $REPOSITORY/issues"
}

# ---- downloading

# Downloads $1 to the file $2; with a third word what can take long is shown at a terminal.
fetch() {
  case $1 in
    file://*)
      copy_from_folder "$1" "$2"
      return
      ;;
    https://*) protocols='=https' ;;
    http://*)
      protocols='=http,https'
      warn_unencrypted "$1"
      ;;
    *) fail "Cannot download from \"$1\": addresses begin with https:// or file://" ;;
  esac
  has curl || has wget || fail "Cannot download: neither curl nor wget is here" "Install one of them, or download the files" \
    "of a release on another machine and name their folder: THREADMIND_DOWNLOAD_BASE=file:///folder"
  : >"$work/reason"
  if [ -n "${3:-}" ] && [ "$quiet" = 0 ] && [ -t 2 ]; then
    transfer "$1" "$2" show || not_fetched "$1"
  else
    transfer "$1" "$2" '' 2>"$work/reason" || not_fetched "$1"
  fi
}

# $3 is empty where nothing but an error may be said. A server that stops answering is given up.
transfer() {
  if has curl; then
    how=-sS
    [ -z "$3" ] || how=-#
    curl --proto "$protocols" --tlsv1.2 -fL $how --retry 2 --connect-timeout 20 --speed-time 30 --speed-limit 1000 \
      -o "$2" "$1"
  elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    wget -nv ${3:+--show-progress} --tries=2 --timeout=20 -O "$2" "$1"
  else
    # BusyBox: there are builds without a time limit.
    how=
    if wget --help 2>&1 | grep -q -e '-T SEC'; then how='-T 20'; fi
    [ -n "$3" ] || how="$how -q"
    # shellcheck disable=SC2086 # words on purpose
    wget $how -O "$2" "$1"
  fi
}

not_fetched() {
  # The last line, without the tool's name, number and time.
  reason=$(sed -n -e 's/^curl: ([0-9]*) //' -e 's/^wget: //' -e 's/^[0-9-]* [0-9:]* //' -e '$p' "$work/reason")
  fail "Cannot download $1${reason:+: $reason}" \
    "Look at $REPOSITORY/releases, or try again; behind a proxy, set https_proxy"
}

copy_from_folder() {
  path=${1#file://}
  case $path in localhost/*) path=${path#localhost} ;; esac
  case $path in /*) ;; *) fail "Cannot read $1: write file:// and then an absolute path, file:///folder" ;; esac
  [ -e "$path" ] || path=$(without_percents "$path")
  cp "$path" "$2" 2>/dev/null || fail "Cannot read $path: no such file, or not yours to read"
}

# %20 and the like, as addresses write what they can't hold.
without_percents() (
  rest=$1
  while :; do
    case $rest in
      *%[0-9A-Fa-f][0-9A-Fa-f]*)
        before=${rest%%%[0-9A-Fa-f][0-9A-Fa-f]*}
        rest=${rest#"$before"%}
        after=${rest#??}
        # shellcheck disable=SC2059 # an octal escape
        printf '%s'"\\$(printf '%03o' "0x${rest%"$after"}")" "$before"
        rest=$after
        ;;
      *)
        printf '%s' "$rest"
        return
        ;;
    esac
  done
)

warn_unencrypted() {
  host=${1#*://}
  host=${host%%[/?#]*}
  host=${host##*@}
  case $host in
    localhost | localhost:* | '[::1]' | '[::1]:'*) return ;;
    127.*) case ${host%%:*} in *[!0-9.]*) ;; *) return ;; esac ;;
  esac
  [ "$warned" = 1 ] || warn "$1 is not encrypted: who controls the way controls what you install"
  warned=1
}

# Before anything is downloaded for nothing.
find_checker() {
  for checker in sha256sum shasum openssl; do if has $checker; then return; fi; done
  checker=
  [ "${THREADMIND_SKIP_CHECKSUM:-}" = 1 ] || fail "Cannot check the download: sha256sum, shasum and openssl are missing" \
    "Install one of them, or set THREADMIND_SKIP_CHECKSUM=1 to do without the check"
  warn "The download will not be checked, as THREADMIND_SKIP_CHECKSUM says"
}

sha256_of() {
  case $checker in
    sha256sum) sha256sum "$1" ;;
    shasum) shasum -a 256 "$1" ;;
    openssl) openssl dgst -sha256 -r "$1" ;;
  esac | cut -d ' ' -f 1
}

# Ends the script if a proxy or a page to sign in has answered in the place of a file.
refuse_page() {
  if head -c 1000 "$1" | LC_ALL=C grep -aqi -e '<!doctype html' -e '<html'; then
    fail "Cannot read $2: a web page came in its place, a proxy's or one to sign in" \
      "Open the address in a browser to see it, or try another network"
  fi
}

# The checksums that SHA256SUMS has for a file, as any tool may have written it.
sums_of() {
  name=$(printf '%s' "$1" | sed 's/[.]/\\./g')
  tr -d '\r' <"$work/SHA256SUMS" | sed -n "s/^\\([0-9A-Fa-f]\\{64\\}\\) [ *]\\(\\.\\/\\)\\{0,1\\}$name\$/\\1/p" |
    tr A-F a-f | sort -u
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
  find_checker
  fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
  refuse_page "$work/SHA256SUMS" "$base/SHA256SUMS"
  expected=$(sums_of "$archive")
  case $expected in
    '') fail "Cannot install for $platform: $base/SHA256SUMS names no $archive" ;;
    *[!0-9a-f]*) fail "Cannot install for $platform: $base/SHA256SUMS has more than one checksum for $archive" ;;
  esac
  if [ "$(receipt_value sha256)" = "$expected" ] && [ "$(receipt_value dir)" = "$dir" ]; then
    installed=$(version_of "$target")
    if [ -n "$installed" ] && [ "$installed" = "$(receipt_value version)" ]; then
      already_there "$installed"
      return
    fi
  fi
  make_folder
  say "Downloading $base/$archive"
  fetch "$base/$archive" "$work/$archive" show
  refuse_page "$work/$archive" "$base/$archive"
  found=
  [ -z "$checker" ] || found=$(sha256_of "$work/$archive")
  if [ -n "$checker" ] && [ "$found" != "$expected" ]; then
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

# Runs a program for at most $1 seconds; what it says, it says into the file "said".
run_briefly() {
  seconds=$1
  shift
  "$@" >"$work/said" 2>&1 </dev/null &
  program=$!
  waiting=$work/waiting.$program
  : >"$waiting"
  (
    while [ "$seconds" -gt 0 ]; do
      sleep 1
      [ -e "$waiting" ] || exit 0
      seconds=$((seconds - 1))
    done
    kill -9 $program
  ) >/dev/null 2>&1 &
  status=0
  { wait $program || status=$?; } 2>/dev/null
  rm -f "$waiting"
  return $status
}

# The version of a program of ours, if it tells one.
version_of() {
  [ -x "$1" ] && is_ours "$1" || return 0
  run_briefly 5 "$1" --version || :
  sed -n '1s/^threadmind \([^ ]*\)$/\1/p' "$work/said"
}

already_there() {
  say "threadmind $1 is already in $dir: nothing to do"
  advise_path
}

put_in_place() {
  cp "$1" "$new" || fail "Cannot write into $dir: is the disk full?"
  chmod +x "$new" # for whom the person's umask says
  # The old program stays until the new one has run, on this very file system.
  status=0
  run_briefly 60 "$new" --version || status=$?
  answer=$(cat "$work/said")
  [ $status = 0 ] || explain_failure "${answer:-nothing (exit code $status)}"
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
    *) say "$(step_to "$got" "$before"): $target" "(sessions that are open go on with $before)" ;;
  esac
  advise_path
}

step_to() {
  case $1$2 in *[!0-9.]*) echo "Replaced threadmind $2 with $1" && return ;; esac
  first=$(printf '%s\n' "$1" "$2" | sort -t . -k 1,1n -k 2,2n -k 3,3n | head -n 1)
  if [ "$first" = "$1" ]; then echo "Downgraded threadmind $2 to $1"; else echo "Upgraded threadmind $2 to $1"; fi
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
  # Quoted so that a shell reads it as it stands, and readable where that needs little.
  shown=$dir
  case $dir in "${HOME:-/nowhere}"/*) shown=${dir#"$HOME"/} ;; esac
  case $shown in
    *[!0-9A-Za-z/._\ +,@%-]*) shown=$(quoted "$dir") ;;
    "$dir") shown=\"$dir\" ;;
    *) shown="\"\$HOME/$shown\"" ;;
  esac
  say ""
  say "$dir is not on your PATH. Add it, for this shell and those to come:"
  case ${SHELL:-} in
    */fish)
      case $shown in \'*) shown="'$(printf '%s' "$dir" | sed "s/['\\\\]/\\\\&/g")'" ;; esac
      say "  fish_add_path $shown"
      ;;
    */zsh) path_line .zshrc ;;
    */bash) if [ "$(uname -s)" = Darwin ]; then path_line .bash_profile; else path_line .bashrc; fi ;;
    *) path_line .profile ;;
  esac
}

quoted() {
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

path_line() {
  line="export PATH=${shown%\"}:\$PATH\""
  case $shown in \'*) line="export PATH=$shown:\"\$PATH\"" ;; esac
  say "  $line"
  say "  printf '%s\\n' $(quoted "$line") >> ~/$1"
}

uninstall() {
  if [ ! -e "$target" ] && [ ! -L "$target" ]; then
    say "There is no $target: nothing to remove"
  else
    refuse_foreign remove
    rm -f "$target" 2>/dev/null || fail "Cannot remove $target: the folder is not yours to write"
    say "Removed $target"
  fi
  if [ -n "$(receipt)" ] && [ "$(receipt_value dir)" = "$dir" ]; then
    rm -f "$(receipt)"
    rmdir "$(dirname "$(receipt)")" 2>/dev/null || :
  fi
  say "Threads stay where they are, in .threadmind/ of each project. A client you connected still names the program:" \
    "take it out of the client's settings, or install once more and run threadmind setup CLIENT --remove."
}

main "$@"
