/** One command of a scenario and where its expected output stands. */
export interface Step {
  readonly kind: "shell" | "call" | "restart";
  /** The number of the command's first line, from 1. */
  readonly line: number;
  /** The shell text, or the tool's name. */
  readonly text: string;
  /** The tool's arguments as JSON, before placeholders are filled in. */
  readonly args: string;
  /** Which of the scenario's MCP clients is meant. */
  readonly client: number;
  /** The expected output's first line and the line after its last, from 0. */
  readonly from: number;
  readonly to: number;
  readonly block: Block;
}

/** The lines of a block's opening and closing fence, from 0. */
export interface Block {
  readonly open: number;
  readonly close: number;
}

/** A scenario file taken apart; the lines are the file's own. */
export interface Scenario {
  readonly title: string;
  readonly lines: readonly string[];
  readonly steps: readonly Step[];
}

const SHELL = /^\$ (.*)$/;
const CALL = /^(\d?)> ([a-z_]+)(?: (\{.*\}))?(?: ([a-zA-Z]+)<<(\w+))?$/;
const HEREDOC = /(?<!<)<<(?!<)-?\s*(["']?)(\w+)\1/g;
const OPENING_FENCE = /^(`{3,})console\s*$/;

/** Reads a scenario file; throws where it can't be one. */
export function parseScenario(text: string): Scenario {
  const lines = text.split("\n");
  const title = lines
    .find((line) => line.startsWith("# "))
    ?.slice(2)
    .trim();
  if (title === undefined) throw new Error("A scenario begins with a heading `# A sentence`");
  const steps: Step[] = [];
  for (let open = 0; open < lines.length; open++) {
    const fence = OPENING_FENCE.exec(lines[open] ?? "")?.[1];
    if (fence === undefined) continue;
    const close = lines.findIndex((line, at) => at > open && closes(line, fence.length));
    if (close === -1) throw new Error(`Line ${open + 1}: the block never closes`);
    steps.push(...parseBlock(lines, { open, close }));
    open = close;
  }
  if (steps.length === 0) throw new Error("The scenario has no command: write `$ …` or `> …` in a block ```console");
  return { title, lines, steps };
}

function closes(line: string, length: number): boolean {
  const run = /^ {0,3}(`+)\s*$/.exec(line)?.[1];
  return run !== undefined && run.length >= length;
}

function parseBlock(lines: readonly string[], block: Block): Step[] {
  const steps: Step[] = [];
  let at = block.open + 1;
  while (at < block.close) {
    const command = parseCommand(lines, at, block.close);
    if (command === undefined) throw new Error(`Line ${at + 1}: a block begins with \`$ …\` or \`> …\``);
    const { from, ...rest } = command;
    let to = from;
    while (to < block.close && !isCommand(lines[to] ?? "")) to++;
    steps.push({ ...rest, line: at + 1, from, to, block });
    at = to;
  }
  return steps;
}

function parseCommand(
  lines: readonly string[],
  at: number,
  end: number,
): Omit<Step, "line" | "to" | "block"> | undefined {
  const line = lines[at] ?? "";
  const shell = SHELL.exec(line)?.[1];
  if (shell !== undefined) {
    let from = at + 1;
    for (const [, , word = ""] of shell.matchAll(HEREDOC)) from = afterTerminator(lines, from, end, word);
    const text = [shell, ...lines.slice(at + 1, from)].join("\n");
    return { kind: "shell", text, args: "", client: 0, from };
  }
  const call = CALL.exec(line);
  if (call === null) return undefined;
  const [, client, tool = "", json = "{}", key, word] = call;
  const which = { client: client ? Number(client) : 1, text: tool };
  if (tool === "restart") return { kind: "restart", args: "", from: at + 1, ...which };
  if (key === undefined || word === undefined) return { kind: "call", args: json, from: at + 1, ...which };
  const from = afterTerminator(lines, at + 1, end, word);
  const value = lines.slice(at + 1, from - 1).join("\n");
  const args = JSON.stringify({ ...JSON.parse(json), [key]: value });
  return { kind: "call", args, from, ...which };
}

function afterTerminator(lines: readonly string[], at: number, end: number, word: string): number {
  for (let line = at; line < end; line++) if (lines[line]?.trim() === word) return line + 1;
  throw new Error(`Line ${at}: nothing ends the text that ${word} should end`);
}

function isCommand(line: string): boolean {
  return SHELL.test(line) || CALL.test(line);
}

/** The lines a scenario file shows for an output: those that would read as a command get a backslash. */
export function renderOutput(output: readonly string[]): string[] {
  const shown = output.map((line) => (isCommand(line) || /^\\+(\$|\d?>) /.test(line) ? `\\${line}` : line));
  return withoutTrailingBlanks(shown);
}

/** What the file expects of a step. */
export function expectedOutput({ lines }: Scenario, step: Step): string[] {
  return withoutTrailingBlanks(lines.slice(step.from, step.to));
}

/** The file's text with `outputs` in place of what it expects; blank lines before the next command stay. */
export function renderScenario(scenario: Scenario, outputs: ReadonlyMap<Step, readonly string[]>): string {
  const lines = [...scenario.lines];
  for (const [block, steps] of [...Map.groupBy(scenario.steps, (step) => step.block)].toReversed()) {
    const body = steps.flatMap((step) => {
      const expected = expectedOutput(scenario, step);
      const command = lines.slice(step.line - 1, step.from);
      return [...command, ...(outputs.get(step) ?? expected), ...lines.slice(step.from + expected.length, step.to)];
    });
    const fence = "`".repeat(
      Math.max(fenceLength(lines[block.open] ?? ""), ...body.map((line) => fenceLength(line) + 1)),
    );
    lines.splice(block.open, block.close - block.open + 1, `${fence}console`, ...body, fence);
  }
  return lines.join("\n");
}

function fenceLength(line: string): number {
  return /^ {0,3}(`{3,})/.exec(line)?.[1]?.length ?? 0;
}

function withoutTrailingBlanks(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
