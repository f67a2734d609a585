# Installs, upgrades or removes ThreadMind on Windows, one executable. Windows PowerShell 5.1 or later, no administrator.
#
#   irm https://github.com/mahmoud-nb/thread-mind-mcp/releases/latest/download/install.ps1 | iex
#
# With options, here -Help:
#
#   iex "& {$(irm https://github.com/mahmoud-nb/thread-mind-mcp/releases/latest/download/install.ps1)} -Help"
#
# or, saved as a file: powershell -ExecutionPolicy Bypass -File install.ps1 -Help
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

  # What every program of ours has in it, and no other file of this name: the address of a thread.
  $mark = 'threadmind://thread/'
  $state = @{ Warned = $false; AddedToPath = $false }

  function Get-Version([string] $Program, [int] $Seconds) {
    $start = New-Object System.Diagnostics.ProcessStartInfo -ArgumentList $Program, '--version'
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    # They make another program of what Bun compiled.
    foreach ($name in 'BUN_BE_BUN', 'BUN_OPTIONS') { $start.EnvironmentVariables.Remove($name) }
    try { $process = [System.Diagnostics.Process]::Start($start) } catch { return '' }
    $process.StandardInput.Close()
    $answer = $process.StandardOutput.ReadLineAsync()
    if (-not $process.WaitForExit($Seconds * 1000)) { $process.Kill(); return '' }
    if ($answer.Wait(1000) -and "$($answer.Result)" -match '^threadmind (\S+)$') { return $Matches[1] }
    return ''
  }

  # Without running it: nobody knows what a stranger's program does.
  function Test-Own([string] $Program) {
    if (-not (Test-Path -LiteralPath $Program -PathType Leaf)) { return $false }
    try { $stream = [IO.File]::Open($Program, 'Open', 'Read', 'ReadWrite, Delete') } catch { return $false }
    try {
      if ($stream.Length -eq 0) { return $true }
      $latin = [Text.Encoding]::GetEncoding(28591)
      $buffer = New-Object byte[] 4194304
      $text = ''
      while (($count = $stream.Read($buffer, 0, $buffer.Length)) -gt 0) {
        # A mark may lie across two pieces.
        $text = $text.Substring([Math]::Max(0, $text.Length - $mark.Length)) + $latin.GetString($buffer, 0, $count)
        if ($text.IndexOf($mark, [StringComparison]::Ordinal) -ge 0) { return $true }
      }
      return $false
    } finally { $stream.Dispose() }
  }

  # Ends the script if what lies in the program's place is somebody else's.
  function Assert-Own([string] $Action) {
    $item = Get-Item -LiteralPath $target -Force -ErrorAction SilentlyContinue
    if ($null -eq $item) { return }
    if ($item.PSIsContainer) { throw "Cannot $Action ${target}: a folder lies there. Choose another folder with -Dir" }
    if ($Force) { return }
    $source = $target
    $isLink = $item.PSObject.Properties['LinkType'] -and $item.LinkType -eq 'SymbolicLink'
    if ($isLink) { $source = "$($item.Target)" }
    $upgrade = ''
    switch -Regex ($source) {
      '[\\/]scoop[\\/](apps[\\/]threadmind|shims)[\\/]' { $owner = 'Scoop'; $upgrade = 'scoop update threadmind' }
      '[\\/]WinGet[\\/](Packages|Links)[\\/]' { $owner = 'winget'; $upgrade = 'winget upgrade threadmind' }
      '[\\/]node_modules[\\/]thread-mind-mcp' { $owner = 'npm'; $upgrade = 'npm install --global thread-mind-mcp' }
    }
    if ($upgrade) {
      throw "Cannot $Action ${target}: $owner put it there. Upgrade it with '$upgrade', choose another folder with -Dir, or insist with -Force"
    }
    if ($isLink) {
      throw "Cannot $Action ${target}: it is a link to $source. Remove the link, or name with -Dir the folder it leads to; with -Force the link goes, and what it leads to stays"
    }
    if (-not (Test-Own $target)) {
      throw "Cannot $Action ${target}: it is no program of ThreadMind, or a damaged one. Look what it is and move it away, or choose another folder with -Dir; with -Force it is lost"
    }
  }

  # A note for next time; the program works without it.
  function Get-Note([string] $Name) {
    if (-not (Test-Path -LiteralPath $receipt)) { return '' }
    try { $note = Get-Content -Raw -Encoding UTF8 -LiteralPath $receipt | ConvertFrom-Json } catch { return '' }
    if ($null -eq $note -or -not $note.PSObject.Properties[$Name]) { return '' }
    return "$($note.$Name)"
  }

  function Write-Receipt([string] $Installed, [string] $Sum) {
    $note = [ordered] @{ method = 'download'; dir = $Dir; version = $Installed; sha256 = $Sum; addedToPath = $state.AddedToPath }
    try {
      [void] (New-Item -ItemType Directory -Path (Split-Path -Parent $receipt) -Force)
      ConvertTo-Json $note | Set-Content -Encoding UTF8 -LiteralPath $receipt
    } catch { Write-Warning "Cannot write ${receipt}: upgrading will download again even if nothing has changed" }
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
      Copy-Item -LiteralPath ([Uri] ($Address -replace '^file://localhost/', 'file:///')).LocalPath -Destination $Path
      return
    }
    if ($Address -notmatch '^https?://') { throw "Cannot download from `"$Address`": addresses begin with https:// or file://" }
    $uri = [Uri] $Address
    if ($uri.Scheme -eq 'http' -and -not $uri.IsLoopback -and -not $state.Warned) {
      $state.Warned = $true
      Write-Warning "$Address is not encrypted: who controls the way controls what you install"
    }
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

  function Test-Within([string] $Path) {
    return [bool] ($Path.Split(';') | Where-Object { $_.Trim('"').TrimEnd('\') -ieq $Dir })
  }

  function Show-PathAdvice {
    $lasting = "$([Environment]::GetEnvironmentVariable('Path', 'Machine'));$([Environment]::ExpandEnvironmentVariables((Get-PathEntry)))"
    if ($AddToPath) {
      if (-not (Test-Within $lasting)) {
        Set-PathEntry ((@($Dir) + @((Get-PathEntry).Split(';') | Where-Object { $_ })) -join ';')
        $state.AddedToPath = $true
        Write-Line "Added $Dir to your PATH; programs that are open see it after a restart"
      }
      if (-not (Test-Within $env:PATH)) { $env:PATH = "$Dir;$env:PATH" }
      return
    }
    if (Test-Within "$env:PATH;$lasting") { return }
    Write-Line ''
    Write-Line "$Dir is not on your PATH. Add it, for this window and those to come, by installing again with -AddToPath, or THREADMIND_ADD_TO_PATH=1; for this window only:"
    Write-Line "  `$env:PATH = '$($Dir.Replace("'", "''"));' + `$env:PATH"
  }

  # Only what this script added, and only if no other program needs it.
  function Undo-Path {
    if (-not $state.AddedToPath) { return }
    if (Get-ChildItem -LiteralPath $Dir -Force -ErrorAction SilentlyContinue) {
      Write-Line "$Dir stays on your PATH, as there are other files in it"
      return
    }
    $others = (Get-PathEntry).Split(';') | Where-Object { $_ -and $_.Trim('"').TrimEnd('\') -ine $Dir }
    Set-PathEntry (@($others) -join ';')
    Write-Line "Took $Dir from your PATH"
  }

  function Show-Help {
    Write-Host @"
Installs threadmind, or upgrades it: run it again.

  -Version VERSION   this version, with or without v, instead of the latest release
  -Dir DIR           the folder for the program, instead of %USERPROFILE%\.local\bin
  -AddToPath         add the folder to your PATH
  -Force             also replace or remove a threadmind that this script did not put there
  -Quiet             say nothing but errors
  -Uninstall         remove the program; .threadmind folders in your projects stay as they are. Before it, take the
                     program out of the clients that start it: threadmind setup CLIENT --remove
  -Help              show this

Variables, each for the option of its name; an option wins:
  THREADMIND_VERSION        as -Version
  THREADMIND_INSTALL_DIR    as -Dir
  THREADMIND_ADD_TO_PATH    1: as -AddToPath
  THREADMIND_DOWNLOAD_BASE  where the files of a release are, instead of the repository's releases: an https:// or
                            file:// folder, in which -Version looks in the folder v<version>
"@
  }

  # A program that runs can't be deleted, but renamed; what earlier upgrades left goes as soon as it can.
  function Remove-Old {
    $old = @(Get-ChildItem -LiteralPath $Dir -Filter 'threadmind.exe.old-*' -ErrorAction SilentlyContinue)
    $old | Remove-Item -Force -ErrorAction SilentlyContinue
    foreach ($left in $old | Where-Object { Test-Path -LiteralPath $_.FullName }) {
      Write-Line "$($left.FullName) still runs: delete it when it has ended, or install again"
    }
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
  $receipt = Join-Path $env:LOCALAPPDATA 'threadmind\install.json'
  if (-not $Dir -and $Uninstall) { $Dir = Get-Note 'dir' }
  if (-not $Dir) { $Dir = Join-Path $env:USERPROFILE '.local\bin' }
  if ($env:THREADMIND_ADD_TO_PATH -eq '1') { $AddToPath = $true }
  $Version = $Version -replace '^v', ''
  if ($Version -eq 'latest') { $Version = '' }
  if ($Version -notmatch '^[0-9A-Za-z.+-]*$') { throw "Cannot install version `"$Version`": that is no version" }
  $Dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Dir).TrimEnd('\')
  $target = Join-Path $Dir 'threadmind.exe'

  $isNoted = (Get-Note 'dir') -ieq $Dir
  if ($isNoted -and (Get-Note 'addedToPath') -eq 'True') { $state.AddedToPath = $true }

  if ($Uninstall) {
    Assert-Own 'remove'
    if (Test-Path -LiteralPath $target) {
      try { Remove-Item -LiteralPath $target -Force } catch { [void] (Move-Aside) }
      Write-Line "Removed $target"
    } else {
      Write-Line "There is no ${target}: nothing to remove"
    }
    Remove-Old
    Undo-Path
    if ($isNoted) { Remove-Item -LiteralPath (Split-Path -Parent $receipt) -Recurse -Force -ErrorAction SilentlyContinue }
    Write-Line 'Threads stay where they are, in .threadmind of each project. A client you connected still names the program: take it out of the client''s settings, or install once more and run threadmind setup CLIENT --remove.'
    return
  }

  Assert-Own 'replace'
  $platform = "windows-$(Get-Architecture)"
  $archive = "threadmind-$platform.zip"
  $base = "$env:THREADMIND_DOWNLOAD_BASE".TrimEnd('/')
  if ($base) { if ($Version) { $base = "$base/v$Version" } }
  elseif ($Version) { $base = "$repository/releases/download/v$Version" }
  else { $base = "$repository/releases/latest/download" }
  $before = ''
  if (Test-Own $target) { $before = Get-Version $target 5 }
  if ($Version -and $before -eq $Version) {
    Write-Line "threadmind $Version is already in ${Dir}: nothing to do"
    $sum = ''
    if ($isNoted -and (Get-Note 'version') -eq $before) { $sum = Get-Note 'sha256' }
    Show-PathAdvice
    Write-Receipt $before $sum
    return
  }

  $work = Join-Path ([IO.Path]::GetTempPath()) "threadmind-$([Guid]::NewGuid().ToString('N'))"
  $new = "$target.new-$PID.exe"
  [void] (New-Item -ItemType Directory -Path $work)
  try {
    Save-File "$base/SHA256SUMS" (Join-Path $work 'SHA256SUMS')
    $lines = @(Get-Content -LiteralPath (Join-Path $work 'SHA256SUMS'))
    if (($lines | Select-Object -First 20) -match '<html|<!doctype html') {
      throw "Cannot read $base/SHA256SUMS: a web page came in its place, a proxy's or one to sign in. Open the address in a browser to see it, or try another network"
    }
    $sums = foreach ($line in $lines) {
      if ($line -match '^([0-9A-Fa-f]{64}) [ *](?:\./)?(\S+)\s*$' -and $Matches[2] -eq $archive) { $Matches[1].ToLowerInvariant() }
    }
    $sums = @($sums | Select-Object -Unique)
    if ($sums.Count -eq 0) { throw "Cannot install for ${platform}: $base/SHA256SUMS names no $archive" }
    if ($sums.Count -gt 1) { throw "Cannot install for ${platform}: $base/SHA256SUMS has more than one checksum for $archive" }
    $expected = $sums[0]
    if ($before -and $isNoted -and (Get-Note 'sha256') -eq $expected -and (Get-Note 'version') -eq $before) {
      Write-Line "threadmind $before is already in ${Dir}: nothing to do"
      Show-PathAdvice
      Write-Receipt $before $expected
      return
    }
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
    $got = Get-Version $new 60
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
    else {
      $step = "Replaced threadmind $before with $got"
      if ("$before$got" -match '^[0-9.]+$') {
        $step = "Upgraded threadmind $before to $got"
        if ([version] $got -lt [version] $before) { $step = "Downgraded threadmind $before to $got" }
      }
      Write-Line "${step}: $target (sessions that are open go on with $before)"
    }
    Show-PathAdvice
    Write-Receipt $got $expected
  } finally {
    Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
    if (Test-Path -LiteralPath $new) { Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue }
  }
}

Install-ThreadMind -Version $Version -Dir $Dir -AddToPath $AddToPath -Force $Force -Quiet $Quiet -Uninstall $Uninstall -Help $Help
