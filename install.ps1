# Installs, upgrades or removes ThreadMind on Windows, one executable. Windows PowerShell 5.1 or later, no administrator.
#
#   irm https://github.com/mahmoud-nb/thread-mind-mcp/releases/latest/download/install.ps1 | iex
#
# Saved as a file it takes options; see: powershell -ExecutionPolicy Bypass -File install.ps1 -Help
# Everything is in functions that the last line calls: a script that was cut on its way does nothing.
param(
  [string] $Version,
  [string] $Dir,
  [switch] $AddToPath,
  [switch] $Force,
  [switch] $Quiet,
  [switch] $Uninstall,
  [switch] $Help
)

function Install-ThreadMind {
  param([string] $Version, [string] $Dir, [bool] $AddToPath, [bool] $Force, [bool] $Quiet, [bool] $Uninstall, [bool] $Help)

  $ErrorActionPreference = 'Stop'
  # The progress bar of Windows PowerShell makes downloads many times slower.
  $ProgressPreference = 'SilentlyContinue'
  Set-StrictMode -Version 2

  $repository = 'https://github.com/mahmoud-nb/thread-mind-mcp' # rendered from package.json by build/release_check.ts

  function Write-Line([string] $Text) { if (-not $Quiet) { Write-Host $Text } }

  function Get-Version([string] $Program) {
    if (-not (Test-Path -LiteralPath $Program -PathType Leaf)) { return '' }
    try { $answer = (& $Program --version 2>$null | Select-Object -First 1) } catch { return '' }
    if ("$answer" -match '^threadmind (\S+)$') { return $Matches[1] }
    return ''
  }

  function Get-Owner([string] $Program) {
    $shown = $Program
    $item = Get-Item -LiteralPath $Program -ErrorAction SilentlyContinue
    if ($null -ne $item -and $item.PSObject.Properties['Target'] -and $item.Target) { $shown = "$($item.Target)" }
    if ($shown -match '[\\/]scoop[\\/]') { return 'Scoop' }
    if ($shown -match '[\\/]WinGet[\\/]') { return 'winget' }
    if ($shown -match '[\\/](node_modules|npm)[\\/]') { return 'npm' }
    return ''
  }

  function Assert-Own([string] $Action) {
    $owner = Get-Owner $target
    if ($owner -eq '' -or $Force) { return }
    $commands = @{
      Scoop  = 'scoop update threadmind'
      winget = 'winget upgrade threadmind'
      npm    = 'npm install --global thread-mind-mcp'
    }
    throw "Cannot $Action ${target}: $owner put it there. Upgrade it with '$($commands[$owner])', choose another folder with -Dir, or insist with -Force"
  }

  function Get-Architecture {
    # A 32-bit PowerShell on a 64-bit system has the true one in the first variable.
    $name = $env:PROCESSOR_ARCHITEW6432
    if (-not $name) { $name = $env:PROCESSOR_ARCHITECTURE }
    try {
      # PowerShell for x64 on an ARM machine: only the runtime knows.
      $name = [System.Runtime.InteropServices.RuntimeInformation]::OSArchitecture.ToString()
    } catch { Write-Verbose 'This .NET does not know the architecture of the system' }
    switch -Regex ($name) {
      '^(AMD64|X64)$' { return 'x64' }
      '^ARM64$' { return 'arm64' }
    }
    throw "Cannot install for Windows on ${name}: there are programs for x64 and arm64"
  }

  function Save-File([string] $Address, [string] $Path) {
    if ($Address -like 'file://*') {
      Copy-Item -LiteralPath ([Uri] $Address).LocalPath -Destination $Path
      return
    }
    if ($Address -notmatch '^https?://') { throw "Cannot download from `"$Address`": addresses begin with https:// or file://" }
    for ($attempt = 1; ; $attempt++) {
      try {
        Invoke-WebRequest -UseBasicParsing -Uri $Address -OutFile $Path
        return
      } catch {
        $isMissing = $_.Exception.PSObject.Properties['Response'] -and $_.Exception.Response -and [int] $_.Exception.Response.StatusCode -eq 404
        if ($isMissing -or $attempt -ge 3) { throw "Cannot download ${Address}: $($_.Exception.Message)" }
        Start-Sleep -Seconds $attempt
      }
    }
  }

  function Get-PathEntry {
    $key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment')
    if ($null -eq $key) { return '' }
    try { return [string] $key.GetValue('Path', '', [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames) }
    finally { $key.Close() }
  }

  function Set-PathEntry([string] $Value) {
    # Kept as REG_EXPAND_SZ: [Environment]::SetEnvironmentVariable would freeze every %VARIABLE% in it.
    $key = [Microsoft.Win32.Registry]::CurrentUser.CreateSubKey('Environment')
    try { $key.SetValue('Path', $Value, [Microsoft.Win32.RegistryValueKind]::ExpandString) } finally { $key.Close() }
    # Setting and removing any variable tells the windows that are open.
    $dummy = "ThreadMind-$([Guid]::NewGuid())"
    [Environment]::SetEnvironmentVariable($dummy, '1', 'User')
    [Environment]::SetEnvironmentVariable($dummy, $null, 'User')
  }

  function Test-OnPath {
    $all = "$env:PATH;$([Environment]::ExpandEnvironmentVariables((Get-PathEntry)))".Split(';')
    return [bool] ($all | Where-Object { $_.Trim('"').TrimEnd('\') -ieq $Dir })
  }

  function Show-PathAdvice {
    if (Test-OnPath) { return }
    if ($AddToPath) {
      $entries = @((Get-PathEntry).Split(';') | Where-Object { $_ })
      Set-PathEntry ((@($Dir) + $entries) -join ';')
      $env:PATH = "$Dir;$env:PATH"
      Write-Line "Added $Dir to your PATH; programs that are open see it after a restart"
      return
    }
    Write-Line ''
    Write-Line "$Dir is not on your PATH. Add it, for this window and those to come, by installing again with -AddToPath, or THREADMIND_ADD_TO_PATH=1; for this window only:"
    Write-Line "  `$env:PATH = `"$Dir;`$env:PATH`""
  }

  function Show-Help {
    Write-Host @"
Installs threadmind, or upgrades it: run it again.

  -Version VERSION   this version, with or without v, instead of the latest release
  -Dir DIR           the folder for the program, instead of %USERPROFILE%\.local\bin
  -AddToPath         add the folder to your PATH
  -Force             also replace a program that Scoop, winget or npm put there
  -Quiet             say nothing but errors
  -Uninstall         remove the program; .threadmind folders in your projects stay as they are
  -Help              show this

Variables, each for the option of its name; an option wins:
  THREADMIND_VERSION        as -Version
  THREADMIND_INSTALL_DIR    as -Dir
  THREADMIND_ADD_TO_PATH    1: as -AddToPath
  THREADMIND_DOWNLOAD_BASE  where the files of a release are, instead of the repository's releases: an https:// or
                            file:// folder, in which -Version looks in the folder v<version>
"@
  }

  function Remove-Old {
    # A program that runs can't be deleted, but renamed; what earlier upgrades left goes as soon as it can.
    Get-ChildItem -LiteralPath $Dir -Filter 'threadmind.exe.old-*' -ErrorAction SilentlyContinue |
      Remove-Item -Force -ErrorAction SilentlyContinue
  }

  function Move-Aside {
    $aside = "$target.old-$([Guid]::NewGuid().ToString('N').Substring(0, 8))"
    Move-Item -LiteralPath $target -Destination $aside
    return $aside
  }

  if ($Help) { Show-Help; return }
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
  if (-not $Version) { $Version = "$env:THREADMIND_VERSION" }
  if (-not $Dir) { $Dir = "$env:THREADMIND_INSTALL_DIR" }
  if (-not $Dir) { $Dir = Join-Path $env:USERPROFILE '.local\bin' }
  if ($env:THREADMIND_ADD_TO_PATH -eq '1') { $AddToPath = $true }
  $Version = $Version -replace '^v', ''
  if ($Version -eq 'latest') { $Version = '' }
  if ($Version -notmatch '^[0-9A-Za-z.+-]*$') { throw "Cannot install version `"$Version`": that is no version" }
  $Dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Dir).TrimEnd('\')
  $target = Join-Path $Dir 'threadmind.exe'

  if ($Uninstall) {
    if (Test-Path -LiteralPath $target) {
      Assert-Own 'remove'
      try { Remove-Item -LiteralPath $target -Force } catch { [void] (Move-Aside) }
      Remove-Old
      Write-Line "Removed $target"
    } else {
      Write-Line "There is no ${target}: nothing to remove"
    }
    Write-Line 'Threads stay where they are, in .threadmind of each project. A client you connected still names the program: take it out of the client''s settings.'
    return
  }

  Assert-Own 'replace'
  $platform = "windows-$(Get-Architecture)"
  $archive = "threadmind-$platform.zip"
  $base = "$env:THREADMIND_DOWNLOAD_BASE".TrimEnd('/')
  if ($base) { if ($Version) { $base = "$base/v$Version" } }
  elseif ($Version) { $base = "$repository/releases/download/v$Version" }
  else { $base = "$repository/releases/latest/download" }
  $before = Get-Version $target
  if ($Version -and $before -eq $Version) {
    Write-Line "threadmind $Version is already in ${Dir}: nothing to do"
    Show-PathAdvice
    return
  }

  $work = Join-Path ([IO.Path]::GetTempPath()) "threadmind-$([Guid]::NewGuid().ToString('N'))"
  $new = "$target.new-$PID.exe"
  [void] (New-Item -ItemType Directory -Path $work)
  try {
    Save-File "$base/SHA256SUMS" (Join-Path $work 'SHA256SUMS')
    $expected = ''
    foreach ($line in Get-Content -LiteralPath (Join-Path $work 'SHA256SUMS')) {
      if ($line -match '^([0-9a-f]{64}) [ *](.+)$' -and $Matches[2] -eq $archive) { $expected = $Matches[1] }
    }
    if (-not $expected) { throw "Cannot install for ${platform}: $base/SHA256SUMS names no $archive" }
    Write-Line "Downloading $base/$archive"
    $zip = Join-Path $work $archive
    Save-File "$base/$archive" $zip
    $found = (Get-FileHash -LiteralPath $zip -Algorithm SHA256).Hash.ToLowerInvariant()
    if ($found -ne $expected) {
      throw "Cannot install ${archive}: its checksum is $found, not $expected as in SHA256SUMS, so it was damaged or changed. Nothing was installed; try again"
    }
    Expand-Archive -LiteralPath $zip -DestinationPath $work -Force
    [void] (New-Item -ItemType Directory -Path $Dir -Force)
    Copy-Item -LiteralPath (Join-Path $work "threadmind-$platform\threadmind.exe") -Destination $new -Force
    # The old program stays until the new one has run.
    $got = Get-Version $new
    if (-not $got) { throw "Cannot install: the program for $platform does not run here, so nothing was changed" }
    if ($Version -and $got -ne $Version) { throw "Cannot install version ${Version}: $base holds $got" }
    if (Test-Path -LiteralPath $target) {
      $aside = Move-Aside
      try { Move-Item -LiteralPath $new -Destination $target }
      catch { Move-Item -LiteralPath $aside -Destination $target; throw }
    } else {
      Move-Item -LiteralPath $new -Destination $target
    }
    Remove-Old
    if (-not $before) { Write-Line "Installed threadmind ${got}: $target" }
    elseif ($before -eq $got) { Write-Line "Installed threadmind $got again: $target" }
    else { Write-Line "Upgraded threadmind $before to ${got}: $target (sessions that are open go on with $before)" }
    Show-PathAdvice
  } finally {
    Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
    if (Test-Path -LiteralPath $new) { Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue }
  }
}

Install-ThreadMind -Version $Version -Dir $Dir -AddToPath $AddToPath -Force $Force -Quiet $Quiet -Uninstall $Uninstall -Help $Help
