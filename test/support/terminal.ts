/** A program that runs at a terminal of its own. */
export interface Terminal {
  write(keys: string): void;
  /** types keys and waits until the screen has shown a text since; throws with what it has shown instead */
  types(keys: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a program at a pseudo-terminal with exactly this environment. */
export function openTerminal(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
): Terminal {
  const decoder = new TextDecoder();
  let shown = "";
  const child = Bun.spawn([...command], {
    cwd,
    env,
    terminal: {
      cols: 200,
      rows: 50,
      data(_, bytes) {
        shown += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const write = (keys: string): void => void child.terminal?.write(keys);
  return {
    write,
    async types(keys, text) {
      shown = "";
      write(keys);
      for (let waited = 0; !shown.includes(text) && waited < 10_000; waited += 20) await Bun.sleep(20);
      if (!shown.includes(text))
        throw new Error(`The screen shows ${JSON.stringify(shown)}, not ${JSON.stringify(text)}`);
    },
    async close() {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
