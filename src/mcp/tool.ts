import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Command } from "../commands/command.ts";

/** A command as a tool: the one place where effects become annotations. */
export function toolOf(command: Command): Tool {
  const { name, title, description, effect, isIdempotent } = command;
  return {
    ...{ name, title, description },
    inputSchema: command.inputSchema() as Tool["inputSchema"],
    annotations: {
      readOnlyHint: effect === "read",
      destructiveHint: effect === "destroy",
      idempotentHint: isIdempotent,
      openWorldHint: false,
    },
  };
}
