import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { optionName } from "../src/cli/args.ts";
import { listPluginFiles } from "../src/cli/plugin_files.ts";
import { type Argument, type Command, parseUsage } from "../src/commands/command.ts";
import { COMMANDS } from "../src/commands/registry.ts";
import { listShortcuts } from "../src/commands/shortcuts.ts";
import { toolOf } from "../src/mcp/tool.ts";
import { VERSION } from "../src/version.ts";

const top = join(import.meta.dir, "..");
const EFFECTS = {
  read: "reads only",
  add: "adds",
  set: "changes what is there",
  destroy: "deletes; thread_restore undoes it",
} as const;

/** A usage line as people type it: `summary [ID] < FILE`. */
function typed(usage: string): string {
  return usage
    .replace(/[[<](thread|project)Id[>\]]/g, (word) => (word.startsWith("[") ? "[ID]" : "ID"))
    .replace("<newParentId>", "PARENT")
    .replace(/<([a-z]+)\.\.\.>/g, (_, name: string) => name.toUpperCase())
    .replace(/\[([a-z]+)\.\.\.\]/g, (_, name: string) => `[${name.toUpperCase()}]`)
    .replace("[revision]", "[REV]")
    .replace("< content", "< FILE");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function toolTable(): string {
  const rows = COMMANDS.map(({ name, cli, description }) => {
    const verbs = cli.map(({ usage }) => `\`${typed(usage)}\``).join(", ");
    return `| \`${name}\` | ${cell(verbs)} | ${cell(description)} |`;
  });
  return ["| Tool | Command line | |", "|---|---|---|", ...rows].join("\n");
}

function argumentRows(command: Command): string[] {
  const positional = new Set(command.cli.flatMap(({ usage }) => parseUsage(usage).positionals.map(({ name }) => name)));
  const row = ({ name, description, type, choices, isRequired }: Argument): string => {
    const shape =
      choices?.join(" \\| ") ??
      { string: "text", number: "whole number", boolean: "true or false", list: "list of texts" }[type];
    const isPreset = command.cli.every(({ preset }) => preset !== undefined && name in preset);
    const clears = type === "list" ? ' for each; `""` clears' : "";
    const option = isPreset
      ? "by the verb"
      : positional.has(name)
        ? "in its place"
        : `\`${optionName(name)}\`${clears}`;
    return `| \`${name}\`${isRequired ? " (required)" : ""} | ${shape} | ${option} | ${cell(description)} |`;
  };
  const list = command.arguments();
  return list.length === 0 ? ["No parameters."] : ["| Parameter | | Option | |", "|---|---|---|---|", ...list.map(row)];
}

function reference(): string {
  const sections = COMMANDS.flatMap((command) => [
    `## ${command.name}`,
    "",
    `${command.description}.`,
    "",
    `Command line: ${command.cli.map(({ usage }) => `\`threadmind ${typed(usage)}\``).join(", ")}. As a tool it ${EFFECTS[command.effect]}.`,
    "",
    ...argumentRows(command),
    "",
  ]);
  const shortcuts = listShortcuts().map(
    ({ usage, name, summary }) => `| \`tm: ${usage}\` | \`tm-${name}\` | ${cell(summary)} |`,
  );
  return [
    "# Reference",
    "",
    "Every tool, its parameters, and the same on the command line. This page is made from the program by `bun build/generate.ts`.",
    "",
    ...sections,
    "## Shortcuts and prompts",
    "",
    "| Typed | Prompt | |",
    "|---|---|---|",
    ...shortcuts,
    "",
  ].join("\n");
}

/** Replaces what stands between a page's markers. */
function between(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- generated:${name} -->`, `<!-- end:${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The markers of ${name} are missing`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}

/** The answer to `tools/list` as it is sent: made once, so that no start has to. */
function toolList(): string {
  const list = JSON.stringify(COMMANDS.map(toolOf));
  return `/** All tools as a JSON list; made from the registry by build/generate.ts. */\nexport const TOOL_LIST =\n  ${literal(list)};\n`;
}

/** A string as the formatter writes it: in the quotes of which it has fewer. */
function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** The action installs the version it belongs to. */
function actionOf(text: string): string {
  const line = /default: "[^"]*"(?= # rendered from package\.json)/;
  if (!line.test(text)) throw new Error("action.yml has no version to render");
  return text.replace(line, `default: "${VERSION}"`);
}

const readme = readFileSync(join(top, "README.md"), "utf8");
const files = new Map([
  ["src/mcp/tool_list.ts", toolList()],
  ["docs/reference.md", reference()],
  ["README.md", between(readme, "tools", toolTable())],
  ["action.yml", actionOf(readFileSync(join(top, "action.yml"), "utf8"))],
  ...listPluginFiles(),
  ["plugin/LICENSE", readFileSync(join(top, "LICENSE"), "utf8")],
]);
const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [path, text] of files) {
  const file = join(top, path);
  const present = await Bun.file(file)
    .text()
    .catch(() => "");
  if (present === text) continue;
  stale++;
  if (!isCheck) mkdirSync(dirname(file), { recursive: true });
  if (!isCheck) writeFileSync(file, text);
  console.log(isCheck ? `${path} is not current: run bun build/generate.ts` : `wrote ${path}`);
}
for (const path of readdirSync(join(top, "plugin"), { recursive: true, withFileTypes: true })) {
  const file = join(path.parentPath, path.name)
    .slice(top.length + 1)
    .replaceAll("\\", "/");
  if (!path.isFile() || files.has(file)) continue;
  stale++;
  if (!isCheck) rmSync(join(top, file));
  console.log(`${file} is nothing that is generated${isCheck ? ": run bun build/generate.ts" : ", removed"}`);
}
process.exit(isCheck && stale > 0 ? 1 : 0);
