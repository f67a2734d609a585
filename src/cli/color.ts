import process from "node:process";
import { ThreadMindError } from "../errors.ts";
import { isTerminal } from "./terminal.ts";

const BOLD = "1";
const DIM = "2";
const GREEN = "32";
const YELLOW = "33";

/** True if the answer is to be coloured: at a terminal, unless NO_COLOR or TERM=dumb says no. Throws `usage`. */
export function wantsColor(choice: string | undefined): boolean {
  if (choice === "always") return true;
  if (choice === "never") return false;
  if (choice !== undefined && choice !== "auto") {
    throw new ThreadMindError(
      "usage",
      `Cannot use --color ${JSON.stringify(choice)}: it is auto, always or never.`,
      "Leave it out, or give one of these.",
    );
  }
  return !process.env.NO_COLOR && process.env.TERM !== "dumb" && isTerminal(1);
}

/** Colours the lines of an answer that say most: headings, warnings, the active thread, finished ones. */
export function paint(text: string): string {
  return text.split("\n").map(paintLine).join("\n");
}

function paintLine(line: string): string {
  if (/^#{1,6} /.test(line)) return wrap(BOLD, line);
  if (line.startsWith("⚠") || line.startsWith("_⚠")) return wrap(YELLOW, line);
  if (line.endsWith("← active")) return wrap(GREEN, line);
  if (/ (?:✓ (?:done|merged into .*)|✗ abandoned)$/.test(line)) return wrap(DIM, line);
  return line;
}

function wrap(code: string, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}
