import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerShape } from "./mcp_start.ts";
import { type Environment, FOLDER, outputOf, TOP } from "./support.ts";

/** Another program that serves a model with what it should know, asked for that by its nearest tool. */
export interface Peer {
  readonly name: string;
  readonly server: ServerShape;
}

/** Installs the peers from npm, in the versions that bench/bun.lock names. */
export function installPeers(): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) copyFileSync(join(TOP, "bench", file), join(FOLDER, file));
  outputOf([process.execPath, "install", "--cwd", FOLDER, "--frozen-lockfile", "--no-summary"]);
}

/** The peers that run here, each with something to remember in a folder of its own. */
export function openPeers(folder: string, env: Environment): readonly Peer[] {
  const modules = join(FOLDER, "node_modules");
  const peers: Peer[] = [];
  const node = Bun.which("node");
  if (node !== null) {
    const memory = join(folder, "memory.jsonl");
    const entities = Array.from({ length: 30 }, (_, at) =>
      JSON.stringify({ type: "entity", name: `t${at}`, entityType: "topic", observations: ["JWT in a cookie"] }),
    );
    void Bun.write(memory, `${entities.join("\n")}\n`);
    peers.push({
      name: "@modelcontextprotocol/server-memory (Node)",
      server: {
        argv: [node, join(modules, "@modelcontextprotocol/server-memory/dist/index.js")],
        ...{ cwd: folder, env: { ...env, MEMORY_FILE_PATH: memory }, tool: "read_graph" },
      },
    });
  }
  const backlog = join(modules, `backlog.md-${process.platform}-${process.arch}`, "backlog");
  if (existsSync(backlog)) {
    const top = join(folder, "backlog");
    mkdirSync(top, { recursive: true });
    outputOf(["git", "init", "--quiet"], { cwd: top, env });
    outputOf([backlog, "init", "demo", "--defaults"], { cwd: top, env });
    for (const title of ["Auth", "Cards", "Search"]) outputOf([backlog, "task", "create", title], { cwd: top, env });
    peers.push({
      name: "backlog.md (compiled Bun)",
      server: { argv: [backlog, "mcp", "start"], cwd: top, env, tool: "task_list" },
    });
  }
  return peers;
}
