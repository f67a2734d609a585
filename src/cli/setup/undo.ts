import { ThreadMindError } from "../../errors.ts";
import { type FileSpec, planRemoval, readServer, renderSetup } from "./file_plan.ts";
import { findHandler } from "./hook_entry.ts";
import { startsOurServer } from "./server_entry.ts";
import { isMap, type Plain } from "./value.ts";

/** True if a file is byte for byte what setup makes where no file is, wherever the program was then. */
export function isAllOurs(spec: FileSpec, text: string): boolean {
  return makes(spec, "", text);
}

/** The text among these from which setup makes exactly the present one, and which has nothing of ours yet. */
export function findOriginal(spec: FileSpec, text: string, earlier: readonly string[]): string | undefined {
  return earlier.find((candidate) => makes(spec, candidate, text));
}

function makes(spec: FileSpec, from: string, text: string): boolean {
  try {
    if (from !== "" && planRemoval(spec, from).text !== from) return false;
    return renderSetup(asItStands(spec, text), from) === text;
  } catch (error) {
    if (error instanceof ThreadMindError) return false;
    throw error;
  }
}

/** The same with the program, and the project, that the file names. */
function asItStands(spec: FileSpec, text: string): FileSpec {
  const { path, server, hooks } = spec;
  return {
    ...spec,
    ...(server === undefined ? {} : { server: { ...server, entry: { ...server.entry, ...readOurs(spec, text) } } }),
    ...(hooks === undefined
      ? {}
      : {
          hooks: {
            ...hooks,
            hooks: hooks.hooks.map((hook) => {
              const command = findHandler({ path, text }, hook.event, hooks.isGrouped)?.get("command");
              return typeof command === "string" ? { ...hook, handler: { ...hook.handler, command } } : hook;
            }),
          },
        }),
  };
}

function readOurs(spec: FileSpec, text: string): Readonly<Record<string, Plain>> {
  const found = readServer(spec, text);
  if (!isMap(found) || !startsOurServer(found)) return {};
  const [command, env] = [found.get("command"), found.get("env")];
  const root = isMap(env) && spec.server?.entry.env !== undefined ? env.get("THREADMIND_ROOT") : undefined;
  return {
    ...(typeof command === "string" ? { command } : {}),
    ...(typeof root === "string" ? { env: { THREADMIND_ROOT: root } } : {}),
  };
}
