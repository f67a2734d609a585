import process from "node:process";

const argv = process.argv.slice(2);
const options = await serveOptions(argv);

if (options === undefined) {
  const { runCommandLine } = await import("./cli/cli.ts");
  await runCommandLine(argv);
} else {
  const { serve } = await import("./mcp/serve.ts");
  await serve(options);
}

/** The server's options if this call is to serve: `serve`, or no verb at all and input that is no terminal. */
async function serveOptions(words: readonly string[]): Promise<{ root?: string; directory?: string } | undefined> {
  const found: { root?: string; directory?: string } = {};
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const value = words[at + 1];
    if (word === "--root" && value !== undefined) {
      found.root = value;
      at++;
    } else if (word === "-C" && value !== undefined) {
      found.directory = value;
      at++;
    } else if (word.startsWith("--root=")) {
      found.root = word.slice("--root=".length);
    } else {
      rest.push(word);
    }
  }
  const [first, ...others] = rest;
  if (first === "serve" && others.length === 0) return found;
  if (first !== undefined) return undefined;
  const { isTerminal } = await import("./cli/terminal.ts");
  return isTerminal(0) ? undefined : found;
}
