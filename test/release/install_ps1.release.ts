import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TOP } from "../support/binary.ts";
import { TOOLS } from "./built.ts";

console.log("SKIPPED: running install.ps1: there is no PowerShell here; the release workflow runs it on Windows");

const script = readFileSync(join(TOP, "install.ps1"), "utf8");

/** What these tests use of a syntax tree. */
interface Node {
  readonly type: string;
  readonly text: string;
  readonly isError: boolean;
  readonly isMissing: boolean;
  readonly children: readonly Node[];
}

/** All nodes of the script's syntax tree, as the grammar that editors use reads it. */
async function syntaxNodes(): Promise<readonly Node[]> {
  const { Parser, Language } = await import(pathToFileURL(join(TOOLS, "web-tree-sitter/web-tree-sitter.js")).href);
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(TOOLS, "tree-sitter-powershell/tree-sitter-powershell.wasm")));
  const all = (node: Node): Node[] => [node, ...node.children.flatMap(all)];
  return all(parser.parse(script).rootNode);
}

test("install.ps1 is PowerShell from its first line to its last", async () => {
  const nodes = await syntaxNodes();
  expect(nodes.filter(({ isError, isMissing }) => isError || isMissing).map(({ text }) => text)).toEqual([]);
  expect(nodes.length).toBeGreaterThan(1000);
});

test("install.ps1 does nothing before its last line", async () => {
  expect(script.trimEnd().split("\n").at(-1)).toStartWith("Install-ThreadMind ");
  const [root] = await syntaxNodes();
  const statements = (root?.children ?? []).flatMap(({ type, children }) =>
    type === "statement_list" ? children.map((child) => child.type) : [],
  );
  expect(statements).toEqual(["function_statement", "pipeline"]);
});

test("install.ps1 uses nothing that Windows PowerShell 5.1 lacks", () => {
  const newer =
    /\?\?|\?\.|\s\?\s[^{]*\s:\s|&&|\|\||-AsHashtable|-SkipHttpErrorCheck|-MaximumRetryCount|\$IsWindows|\bclean\s*\{/;
  expect(script.split("\n").filter((line) => !line.trim().startsWith("#") && newer.test(line))).toEqual([]);
  // Without a byte order mark 5.1 reads another encoding than was written.
  expect(Buffer.byteLength(script)).toBe(script.length);
});

test("install.ps1 checks before it replaces, and replaces by renaming", () => {
  const places = [
    "Get-FileHash",
    "-ne $expected",
    "Expand-Archive",
    "$got = Get-Version $new 60",
    "$aside = Move-Aside",
    "Remove-Old\n    if (-not $before)",
  ];
  const found = places.map((part) => script.indexOf(part, script.indexOf("if ($Help)")));
  expect(found.every((place) => place > 0)).toBe(true);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(script).toContain("Tls12");
  expect(script).toContain("DoNotExpandEnvironmentNames");
  expect(script).not.toMatch(/RunAs|SetEnvironmentVariable\('Path'/);
});

test("install.ps1's help names every option and every variable", () => {
  const help = /Write-Host @"\n([\s\S]*?)\n"@/.exec(script)?.[1] ?? "";
  const options = [...script.slice(0, script.indexOf("\nfunction ")).matchAll(/\[(?:string|switch)\] \$(\w+)/g)];
  expect(options.length).toBe(7);
  for (const [, name] of options) expect(help).toContain(`-${name}`);
  for (const [name] of script.matchAll(/THREADMIND_\w+/g)) expect(help).toContain(name);
});

test("install.ps1 asks whose a program is before it runs, replaces or removes it", () => {
  const main = script.slice(script.indexOf("if ($Help)"));
  for (const [first, then] of [
    ["Assert-Own 'remove'", "Remove-Item -LiteralPath $target"],
    ["Assert-Own 'replace'", "Get-Version $target"],
    ["if (Test-Own $target) {", "Get-Version $target"],
    ["Assert-Own 'replace'", "$aside = Move-Aside"],
  ] as const) {
    expect([first, main.split(first).length]).toEqual([first, 2]);
    expect([first, main.indexOf(first) < main.indexOf(then)]).toEqual([first, true]);
  }
  // Whoever starts a program here starts it with a limit.
  expect(script).not.toMatch(/& \$\w+ --version/);
  expect(script.match(/WaitForExit\((.*)\)\)/)?.[1]).toBe("$Seconds * 1000");
});

test("install.ps1 keeps and reads one note, of the same words", () => {
  const written =
    /\[ordered\] @\{ (.*) \}/
      .exec(script)?.[1]
      ?.split("; ")
      .map((each) => each.split(" = ")[0] ?? "") ?? [];
  const read = [...script.matchAll(/Get-Note '(\w+)'/g)].map(([, name = ""]) => name);
  expect(written).toEqual(["method", "dir", "version", "sha256", "addedToPath"]);
  expect(new Set(read)).toEqual(new Set(written.slice(1)));
});

test("install.ps1's patterns tell what put a program there, and a checksum's line, as install.sh does", () => {
  const patterns = [...script.matchAll(/'([^'\n]+)' \{ \$owner = '(\w+)'/g)];
  const ownerOf = (path: string) => patterns.find(([, pattern = ""]) => new RegExp(pattern, "i").test(path))?.[2];
  expect(ownerOf("C:\\Users\\sam\\scoop\\shims\\threadmind.exe")).toBe("Scoop");
  expect(ownerOf("C:\\Users\\sam\\scoop\\apps\\threadmind\\current\\threadmind.exe")).toBe("Scoop");
  expect(ownerOf("C:\\Users\\sam\\AppData\\Local\\Microsoft\\WinGet\\Links\\threadmind.exe")).toBe("winget");
  expect(ownerOf("C:\\x\\node_modules\\thread-mind-mcp-win32-x64\\bin\\threadmind.exe")).toBe("npm");
  for (const home of ["scoop", "WinGet", "node_modules", "npm"])
    expect(ownerOf(`C:\\Users\\${home}\\.local\\bin\\threadmind.exe`)).toBeUndefined();
  const line = new RegExp(/\$line -match '([^']+)'/.exec(script)?.[1] ?? "-", "i");
  const sum = "0123456789ABCDEF".repeat(4);
  for (const text of [`${sum}  a.zip`, `${sum.toLowerCase()} *a.zip`, `${sum}  ./a.zip`, `${sum}  a.zip\r`])
    expect(line.exec(text)?.[2]).toBe("a.zip");
  for (const text of [`${sum.slice(1)}  a.zip`, `x${sum}  a.zip`, `${sum}  a b.zip`])
    expect(line.exec(text)).toBeNull();
});
