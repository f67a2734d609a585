import { test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { TOP } from "./support/binary.ts";

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

function sourcesBelow(folder: string): Source[] {
  if (!existsSync(join(TOP, folder))) return [];
  return readdirSync(join(TOP, folder), { recursive: true, encoding: "utf8" })
    .map((path) => posix.join(folder, path.replaceAll("\\", "/")))
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(TOP, path), "utf8") }))
    .map((file) => ({ ...file, lines: file.text.split("\n") }));
}

const sources = sourcesBelow("src");

/** What a file imports, statically or not, as written. */
function importsOf({ text }: Source): string[] {
  const statements = text.matchAll(/^(?:import|export)\b(?:[^;"]*?\bfrom)?\s*"([^"]+)"/gm);
  const calls = text.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [...statements, ...calls].map(([, specifier = ""]) => specifier);
}

function fail(rule: string, findings: readonly string[]): void {
  if (findings.length > 0) throw new Error(`${rule}\n${findings.map((finding) => `  ${finding}`).join("\n")}`);
}

/** The places, as path:line, where a pattern occurs in these files. */
function places(files: readonly Source[], pattern: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}  ${line.trim()}`] : [])),
  );
}

const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "errors.ts": [],
  "version.ts": [],
  core: ["core", "errors.ts"],
  io: ["core", "io", "errors.ts"],
  commands: ["core", "io", "commands", "errors.ts", "version.ts"],
  mcp: ["core", "io", "commands", "mcp", "errors.ts", "version.ts"],
  cli: ["core", "io", "commands", "cli", "errors.ts", "version.ts"],
  "main.ts": ["core", "io", "commands", "mcp", "cli", "errors.ts", "version.ts"],
};

const layerOf = (path: string) => path.split("/")[1] ?? "";

test("src/ holds the layers and nothing beside them", () => {
  const strange = sources.map(({ path }) => path).filter((path) => !(layerOf(path) in LAYERS));
  fail(`A file belongs in one of ${Object.keys(LAYERS).join(", ")}:`, strange);
});

test("a file imports from its own layer and those below it", () => {
  const findings = sources.flatMap((source) => {
    const allowed = LAYERS[layerOf(source.path)] ?? [];
    return importsOf(source)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(posix.dirname(source.path), specifier))
      .filter((target) => target.startsWith("src/") && !allowed.includes(layerOf(target)))
      .map((target) => `${source.path} imports ${target}`);
  });
  fail("The direction is core ← io ← commands ← mcp | cli ← main.ts; mcp and cli don't know each other:", findings);
});

test("only version.ts reads a file outside src/", () => {
  const findings = sources.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => specifier.startsWith("."))
      .filter((specifier) => !posix.join(posix.dirname(source.path), specifier).startsWith("src/"))
      .filter((specifier) => source.path !== "src/version.ts" || specifier !== "../package.json")
      .map((specifier) => `${source.path} imports ${specifier}`),
  );
  fail("What src/ imports lies in src/, except package.json for version.ts:", findings);
});

/** Which files may import a package or built-in; with one name, that file must exist and import it. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  yaml: ["src/core/thread_file.ts"],
  marked: ["src/core/markdown.ts"],
  "@modelcontextprotocol/sdk": ["src/mcp/"],
  valibot: ["src/commands/", "src/io/store.ts", "src/mcp/"],
  "@valibot/to-json-schema": ["src/commands/", "src/mcp/"],
  "node:child_process": ["src/io/git_process.ts", "src/io/client_process.ts"],
  "jsonc-parser": ["src/cli/setup/json_text.ts"],
  "toml-eslint-parser": ["src/cli/setup/toml_text.ts"],
  "node:fs": [
    "src/io/birth.ts",
    "src/io/exclusive_file.ts",
    "src/io/files.ts",
    "src/io/watch.ts",
    "src/io/user_files.ts",
    "src/io/byte_file.ts",
    "src/mcp/stdio.ts",
    "src/cli/output.ts",
    "src/cli/terminal.ts",
    "src/cli/input.ts",
  ],
};

const isOf = (specifier: string, name: string) => specifier === name || specifier.startsWith(`${name}/`);
const users = (name: string) => sources.filter((file) => importsOf(file).some((specifier) => isOf(specifier, name)));

for (const [name, doors] of Object.entries(DOORS)) {
  test(`${name} is imported at its door only`, () => {
    const paths = users(name).map(({ path }) => path);
    const elsewhere = paths.filter(
      (path) => !doors.some((door) => path === door || (door.endsWith("/") && path.startsWith(door))),
    );
    fail(`${name} is imported in ${doors.join(", ")} and nowhere else; go through what that exports:`, elsewhere);
    if (doors.length === 1 && paths.length === 0)
      throw new Error(`Nothing imports ${name}: is its door ${doors[0]} gone?`);
  });
}

test("every package that src/ imports is a dependency with an exact version", () => {
  const known = Object.keys(manifest.dependencies);
  const strangers = sources.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .filter((specifier) => !known.some((name) => isOf(specifier, name)))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );
  fail("src/ uses node: built-ins and the dependencies of package.json:", strangers);
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const loose = versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)).map(([name]) => name);
  fail("Versions in package.json are exact:", loose);
});

test("main.ts loads the rest only when it is needed", () => {
  const main = sources.filter(({ path }) => path === "src/main.ts");
  const eager = places(main, /^(?:import\b|export\b|\}).*"(?!node:|\.\/errors\.ts)[^"]+";$/).filter(
    (place) => !/import type/.test(place),
  );
  fail("Static imports of main.ts are paid at every start, hooks included; use import():", eager);
});

test("one file writes MCP text content", () => {
  const texts = sources.map((file) => ({ ...file, text: file.text.replaceAll(/with\s*\{[^}]*\}/g, "") }));
  const writers = texts.filter(({ text }) => /type: "text"/.test(text)).map(({ path }) => path);
  fail('`type: "text"` stands in one file of src/mcp/:', writers.length > 1 ? writers : []);
  fail(
    '`type: "text"` stands in src/mcp/:',
    writers.filter((path) => !path.startsWith("src/mcp/")),
  );
});

test("src/ uses neither Bun's nor Deno's own interface", () => {
  fail(
    "The sources run under both: use node: built-ins.",
    places(sources, /\b(?:Bun|Deno)\.\w|"bun(?::[^"]*)?"|"jsr:/),
  );
});

test("a thread is copied by changedThread(), since a lazy one has accessors that spreading drops", () => {
  fail("Use changedThread() of core/tree.ts:", places(sources, /\.\.\.(?:thread|child|parent|subject)\b(?!\.)/));
});

test("core/ has no clock, chance or process", () => {
  const core = sources.filter(({ path }) => layerOf(path) === "core");
  const findings = places(
    core,
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bcrypto\.|\bfetch\(|"node:/,
  );
  fail("Times and random values are parameters of core/:", findings);
});

test("files are short and named for what they hold", () => {
  const long = sources
    .filter(({ lines }) => lines.length > 301)
    .map(({ path, lines }) => `${path}: ${lines.length - 1} lines`);
  fail("No file of src/ is longer than 300 lines; split it by what it is about:", long);
  const banned = /^(?:utils?|helpers?|types?|services?|lib|common|misc|shared|index)(?:\.ts)?$/;
  const vague = sources.map(({ path }) => path).filter((path) => path.split("/").some((part) => banned.test(part)));
  fail("A name says what is inside; these say nothing:", vague);
  const tests = sourcesBelow("test").map(({ path }) => path);
  const misnamed = tests.filter((path) => /test/.test(basename(path)) && !path.endsWith("_test.ts"));
  fail("A test file is <file>_test.ts:", misnamed);
});

test("every export says in a sentence what a caller needs", () => {
  const exported = /^export (?:async |abstract |declare )*(?:function|const|let|class|interface|type|enum)\*? (\w+)/;
  const bare = [...sources, ...sourcesBelow("build"), ...sourcesBelow("test/support")].flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => {
      const name = exported.exec(line)?.[1];
      const above = lines[at - 1] ?? "";
      if (name === undefined || above.trimEnd().endsWith("*/")) return [];
      return exported.exec(above)?.[1] === name ? [] : [`${path}:${at + 1}  ${name}`];
    }),
  );
  fail("Every export has a sentence of JSDoc directly above it:", bare);
});

test("nothing is left to be done later", () => {
  const files = [...sources, ...sourcesBelow("build"), ...sourcesBelow("test")].filter(
    ({ path }) => path !== "test/house_test.ts",
  );
  fail("Do it, or open an issue:", places(files, /\b(?:TODO|FIXME|XXX)\b/));
});

test("one version of Bun is named everywhere", () => {
  const version = manifest.devDependencies["bun-types"];
  const named = [".ci/run", "README.md", "CONTRIBUTING.md"]
    .filter((path) => existsSync(join(TOP, path)))
    .flatMap((path) =>
      [...readFileSync(join(TOP, path), "utf8").matchAll(/\bbun@([\d.]*\d)/g)].map(([, found]) => ({ path, found })),
    );
  fail(
    `package.json has bun-types ${version}:`,
    named.filter(({ found }) => found !== version).map(({ path }) => path),
  );
});
