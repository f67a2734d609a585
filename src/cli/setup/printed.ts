import { join } from "node:path";
import type { FileSpec } from "./file_plan.ts";
import { inHome, inVariable, type Place } from "./place.ts";
import { quoteWord } from "./program.ts";
import type { Plain } from "./value.ts";

/** A client that is told what to enter, and not written for. */
export interface PrintedClient {
  readonly title: string;
  readonly file: (place: Place, program: string) => FileSpec;
  /** the client's own way to an entry of the user's */
  readonly own?: (program: string) => string;
}

const args = ["serve"];

function fileOf(path: string, key: string, entry: Readonly<Record<string, Plain>>): FileSpec {
  return { path, format: "json", server: { key, entry } };
}

/** Clients that are only told what to enter. */
export const PRINTED: Readonly<Record<string, PrintedClient>> = {
  copilot: {
    title: "Copilot CLI",
    file: ({ isProject, root }, command) =>
      fileOf(
        isProject ? join(root(), ".mcp.json") : inVariable("COPILOT_HOME", inHome(".copilot"), "mcp-config.json"),
        "mcpServers",
        { type: "local", command, args, tools: ["*"] },
      ),
    own: (command) => `copilot mcp add thread-mind -- ${quoteWord(command)} serve`,
  },
  opencode: {
    title: "opencode",
    file: ({ isProject, root }, command) =>
      fileOf(
        isProject
          ? join(root(), "opencode.json")
          : inVariable("XDG_CONFIG_HOME", inHome(".config"), "opencode", "opencode.json"),
        "mcp",
        { type: "local", command: [command, ...args], enabled: true },
      ),
  },
  zed: {
    title: "Zed",
    file: ({ isProject, root }, command) =>
      fileOf(
        isProject
          ? join(root(), ".zed", "settings.json")
          : inVariable("XDG_CONFIG_HOME", inHome(".config"), "zed", "settings.json"),
        "context_servers",
        { command, args },
      ),
  },
  kiro: {
    title: "Kiro",
    file: ({ isProject, root }, command) =>
      fileOf(
        isProject ? join(root(), ".kiro", "settings", "mcp.json") : inHome(".kiro", "settings", "mcp.json"),
        "mcpServers",
        { command, args },
      ),
  },
};
