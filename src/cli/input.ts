import { readFileSync } from "node:fs";
import { ThreadMindError } from "../errors.ts";
import { decodeText } from "../io/files.ts";
import { hasInput, isInputTerminal } from "./output.ts";

/** All of standard input as text. Throws `usage` at a terminal, when it is empty, and when it is not UTF-8. */
export function readInput(verb: string): string {
  const refuse = (why: string): ThreadMindError =>
    new ThreadMindError(
      "usage",
      `Cannot run threadmind ${verb}: ${why}.`,
      `Give the text on standard input: threadmind ${verb} < FILE. To empty it on purpose: threadmind ${verb} --content ""`,
    );
  if (!hasInput() || isInputTerminal()) throw refuse("its text is missing");
  const read = decodeText(readFileSync(0));
  if ("fault" in read) throw refuse(`standard input ${read.fault}`);
  const text = read.text.replace(/^\ufeff/, "");
  if (text.trim() === "") throw refuse("standard input is empty");
  return text;
}
