import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "./core/seeded.ts";
import { type Result, run } from "./support/binary.ts";
import { GUIDE, lostWords } from "./support/imported.ts";
import { CAN_MOUNT, onSmallDisk } from "./support/small_disk.ts";
import { readThread, snapshot, writeProject } from "./support/stored_project.ts";
import { gitRepository, temporaryFolder } from "./support/temp.ts";

setDefaultTimeout(60_000);

const entity = (name: string, entityType: string, ...observations: readonly string[]): string =>
  JSON.stringify({ type: "entity", name, entityType, observations });

interface Workplace {
  readonly top: string;
  /** writes a file with this content and imports it */
  importOf(kind: string, name: string, content: string | Uint8Array, ...more: readonly string[]): Promise<Result>;
  run(...words: readonly string[]): Promise<Result>;
}

function workplace(): Workplace {
  const { top, home } = gitRepository();
  const go = (...words: readonly string[]): Promise<Result> => run(words, { cwd: top, home });
  return {
    top,
    run: go,
    importOf(kind, name, content, ...more) {
      writeFileSync(join(top, name), content);
      return go("import", kind, name, ...more);
    },
  };
}

test("`import` makes a project of a file, leaves it as it is, and says what is active now and how to go back", async () => {
  const { top, importOf, run: go } = workplace();
  const first = await importOf("claude-md", "CLAUDE.md", GUIDE);
  expect(first.stdout).toBe(
    `Imported ${join(top, "CLAUDE.md")} into the new project shop-guide: its root thread main. The file is unchanged.
The workspace is new: ${top}
The active project is now shop-guide.
Look at it: threadmind show shop-guide/main
`,
  );
  expect(readFileSync(join(top, "CLAUDE.md"), "utf8")).toBe(GUIDE);
  expect(lostWords(GUIDE, readThread(top, "main", "shop-guide"))).toEqual([]);
  const second = await importOf("memory-json", "memory.json", `${entity("A", "rule", "b")}\n`);
  expect(second.stdout).toContain("into the new project memory: its root thread main, and 1 thread below it.");
  expect(second.stdout).toContain(
    "The active project is now memory; to go back to shop-guide: threadmind project switch shop-guide.\n",
  );
  expect((await go("context", "memory/rule")).stdout).toContain("## Constraints\n### A\n- b");
  expect((await go("project", "switch", "shop-guide")).code).toBe(0);
});

test("`import` tells what could not be read, what it doesn't follow and what was active, also with --json", async () => {
  const { top, importOf } = workplace();
  writeProject(top);
  const lines = `${entity("A", "rule", "b")}\nbroken {\n\n{"type":"other"}\n`;
  const told = await importOf("memory-json", "m.json", lines, "--json");
  expect(JSON.parse(told.stdout)).toEqual({
    version: 1,
    project: "memory",
    threads: ["main", "rule"],
    previousProject: "app",
    unread: { lines: [2, 4], thread: "memory/main" },
    remarks: ["⚠ 2 pieces are no entity or relation (line 2, 4): kept as typed under State of memory/main."],
    notices: [],
  });
  expect(readThread(top, "main", "memory")).toContain('broken {\n{"type":"other"}');
  const named = await importOf("claude-md", "n.md", "# N\n@docs/a.md\nSee @b.md.\n");
  expect(named.stdout).toContain("Not followed: 2 files that it brings in with @ (@docs/a.md, @b.md).");
});

test("`import` refuses a second project of a title, and an option that names another project", async () => {
  const { top, importOf, run: go } = workplace();
  writeProject(top, {}, { id: "shop", title: "The Shop" });
  await go("project", "switch", "shop");
  const before = snapshot(join(top, ".threadmind"));
  for (const title of ["The shop", "Shop"]) {
    const { stderr, code } = await importOf("claude-md", "CLAUDE.md", `# ${title}\n\ntext\n`);
    expect(stderr).toBe(
      `threadmind: Cannot import "CLAUDE.md": there is a project "${title}" already: shop.
Look at it: threadmind show shop/main. To import the file beside it, give another title with --title.
`,
    );
    expect(code).toBe(1);
  }
  for (const option of ["--project", "--thread"]) {
    const { stderr, code } = await go("import", "claude-md", "CLAUDE.md", option, "shop");
    expect([code, stderr.includes(`so that ${option} has no place here`)]).toEqual([2, true]);
  }
  expect(snapshot(join(top, ".threadmind"))).toEqual(before);
  const beside = await go("import", "claude-md", "CLAUDE.md", "--title", "Shop guide");
  expect(beside.stdout).toContain("into the new project shop-guide");
  expect(readThread(top, "main", "shop-guide")).toContain("### Shop\ntext");
});

const bad = (text: string): string => `{"type":"entity","name":"B","entityType":"p","observations":["${text}"]}`;
const TOKEN = `ghp_${"a1".repeat(18)}`;
const CONFLICT = "# C\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n";
const REFUSED: readonly (readonly [kind: string, content: string | Uint8Array, why: string])[] = [
  ["memory-json", `${entity("A", "p", "x")}\n${bad("a\\u0000b")}\n`, "the entry on line 2: it holds a NUL character."],
  ["memory-json", `[\n${bad("a\\ud800b")}]`, "the entry on line 2: it is not valid Unicode."],
  ["memory-json", bad(`ghp\\u005f${TOKEN.slice(4)}`), "the entry on line 1 holds a GitHub token."],
  ["memory-json", `${entity("A", TOKEN, "x")}\n`, "line 1 holds a GitHub token."],
  ["memory-json", `${entity("A", "p", "x")}\n<<<<<<< a\n=======\n>>>>>>> b\n`, "line 2 is a merge-conflict marker."],
  ["memory-json", "{}", "there is no entity and no relation of the MCP memory server in it."],
  ["memory-json", GUIDE, "there is no entity and no relation of the MCP memory server in it."],
  ["claude-md", CONFLICT, "line 3 is a merge-conflict marker."],
  ["claude-md", "# N\n\nx\0y\n", "line 3: it holds a NUL character."],
  ["claude-md", `# S\r\n\r\nkey ${TOKEN}\r\n`, "line 3 holds a GitHub token."],
  ["claude-md", "\ufeff\n", "it is empty."],
  ["claude-md", Buffer.from([0xff, 0xfe, 0, 1]), "it is UTF-16, not UTF-8."],
];

test("`import` refuses what no write would take before it writes anything, and names file and line", async () => {
  const { top, importOf, run: go } = workplace();
  for (const [kind, content, why] of REFUSED) {
    const { stderr, code } = await importOf(kind, "file", content);
    expect([stderr.split("\n", 1)[0], code]).toEqual([`threadmind: Cannot import "file": ${why}`, 1]);
    expect(readdirSync(top).sort()).toEqual([".git", "file"]);
  }
  writeProject(top);
  const before = snapshot(join(top, ".threadmind"));
  for (const [kind, content] of REFUSED) expect((await importOf(kind, "file", content)).code).toBe(1);
  for (const words of [
    ["claude-md", "none.md"],
    ["claude-md", "."],
  ])
    expect((await go("import", ...words)).code).toBe(1);
  for (const words of [[], ["claude"], ["claude-md"], ["claude-md", "a", "b"], ["claude-md", "a", "--x"]])
    expect((await go("import", ...words)).code).toBe(2);
  expect((await importOf("claude-md", "ok.md", "# OK\ntext\n", "--title", " ")).code).toBe(2);
  expect(snapshot(join(top, ".threadmind"))).toEqual(before);
  expect((await importOf("claude-md", "secret.md", `# S\n\n${TOKEN}\n`, "--allow-secret")).code).toBe(0);
});

test.skipIf(!CAN_MOUNT)("`import` leaves nothing of a project behind when the disk is full", async () => {
  await onSmallDisk(256, async (folder) => {
    writeProject(folder);
    const source = join(temporaryFolder("source"), "memory.json");
    const big = Array.from({ length: 20 }, (_, at) => entity(`E${at}`, `type ${at}`, "word ".repeat(8000)));
    writeFileSync(source, big.join("\n"));
    expect((await run(["project", "switch", "app"], { cwd: folder })).code).toBe(0);
    const before = snapshot(join(folder, ".threadmind"));
    const { stderr, code } = await run(["import", "memory-json", source], { cwd: folder });
    expect([stderr.includes("there is no space left on the device"), code]).toEqual([true, 1]);
    expect(snapshot(join(folder, ".threadmind"))).toEqual(before);
  });
  await onSmallDisk(256, async (folder) => {
    const source = join(temporaryFolder("source"), "CLAUDE.md");
    writeFileSync(source, `# Big\n${"word ".repeat(80_000)}`);
    const { stderr, code } = await run(["import", "claude-md", source], { cwd: folder });
    expect(stderr).toContain(`The folder ${join(folder, ".threadmind")} was made for it and holds no project`);
    expect(code).toBe(1);
    expect((await run(["check"], { cwd: folder })).code).toBe(0);
  });
});

test("`import` names a project without a usable title after the folder, and takes .mdx, CRLF and BOM", async () => {
  const { top, importOf } = workplace();
  const long = "Word ".repeat(80).trim();
  const { stdout } = await importOf("claude-md", "CLAUDE.md", `# ${long}\n\n## Decisions\n- x\n`, "--json");
  const made = JSON.parse(stdout);
  expect(top.toLowerCase()).toEndWith(made.project);
  expect(made.remarks.join()).toContain("it is longer than 300 characters");
  expect(readThread(top, "main", made.project)).toContain(`## State\n### ${long}`);
  const odd = await importOf("claude-md", "a.mdx", "\ufeff# Odd\r\n\r\n## Decisions (août)\r\n- x\r\n");
  expect([odd.code, readThread(top, "main", "odd").split("---\n\n")[1]]).toEqual([0, "## Decisions (août)\n- x\n"]);
});

const LINES = [
  ...[
    "# Title one",
    "# ",
    "## Decisions (by Kim on 2024-01-05)",
    "## Constraints <!-- legalreview -->",
    "##Decisions glued",
  ],
  ...[
    "## Decisions #infratag",
    "Setext\n===",
    "**Constraints**",
    "### Deep",
    "- bullet",
    "```",
    "<!--",
    "-->",
    "<div>",
    "",
  ],
  ...["plain", "> quote", "---", "| a | b |", "\tcode", "Ünïcode 日本", "#### Décisions {x}", "1. one", "@docs/x.md"],
];

test("every word of what `import` takes is found below .threadmind/", async () => {
  const random = seeded(23);
  const { top, run: go } = workplace();
  for (let at = 0; at < 25; at++) {
    const lines = Array.from(
      { length: 4 + random.next(30) },
      () => `${random.pick(LINES)}${random.pick([` w${at}`, ""])}`,
    );
    const source = lines.join(random.pick(["\n", "\n", "\r\n"]));
    writeFileSync(join(top, "in.md"), source);
    const { stdout, stderr } = await go("import", "claude-md", "in.md", "--title", `Project ${at}`, "--json");
    expect(stderr).toBe("");
    const lost = lostWords(source, readThread(top, "main", JSON.parse(stdout).project));
    if (lost.length > 0) throw new Error(`Lost ${lost.join(", ")} of\n${source}`);
  }
  expect((await go("check")).stdout).not.toContain("error:");
  expect(existsSync(join(top, ".threadmind/local/lock"))).toBe(false);
});
