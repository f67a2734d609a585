import { join } from "node:path";
import { listFiles } from "../../io/user_files.ts";
import { findPlugin, hooksOfClaude } from "./claude_doubles.ts";
import type { Client } from "./clients.ts";
import type { FileSpec } from "./file_plan.ts";
import { eventsOfHooks, looking } from "./glance.ts";
import { inHome, type Place } from "./place.ts";

/** What runs ThreadMind besides these files, and how to have it run once; read, never written. */
export function findElsewhere(name: string, client: Client, place: Place, program: string): readonly string[] {
  return [
    ...otherScope(name, client, place, program),
    ...(name === "claude-code" ? ofClaudeCode(place) : ofReaders(name, place)),
  ];
}

/** The files of the other scope with our hooks in them: a client runs those of both. */
function otherScope(name: string, client: Client, place: Place, program: string): readonly string[] {
  if (name === "claude-code" || name === "claude-desktop") return [];
  const other = { isProject: !place.isProject, root: place.root };
  const specs = looking(() => client.files(other, program)) ?? [];
  const where = other.isProject ? "in this project" : "here";
  return specs
    .filter(({ path }) => eventsOfHooks(path).length > 0)
    .map(
      ({ path }) =>
        `${path} has ThreadMind's hooks too, so ${where} they run twice; threadmind setup ${name}${other.isProject ? " --project" : ""} --remove takes them out there.`,
    );
}

function ofClaudeCode(place: Place): readonly string[] {
  const plugin = findPlugin(place);
  const settings = join(place.root(), ".claude", "settings.json");
  return [
    ...(plugin === undefined
      ? []
      : [
          `ThreadMind's plugin is installed (${plugin}), and everything runs twice with it. Take one of the two out: threadmind setup claude-code --remove, or threadmind setup claude-code --project --remove.`,
        ]),
    ...hooksOfClaude(place)
      .filter((path) => path !== settings)
      .map((path) => `${path} has hooks that call threadmind too, so they run twice here; take them out of it.`),
    ...hooksOfVsCode(place).map(
      (path) =>
        `VS Code reads .claude/settings.json as well as ${path}, so its sessions are told the context twice; delete that file if its hooks are not for another client.`,
    ),
  ];
}

function hooksOfVsCode(place: Place): readonly string[] {
  const folders = [join(place.root(), ".github", "hooks"), inHome(".copilot", "hooks")];
  return folders
    .flatMap((folder) => (looking(() => listFiles(folder)) ?? []).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".json") && eventsOfHooks(path).length > 0);
}

/** Clients that read Claude Code's settings too. */
function ofReaders(name: string, place: Place): readonly string[] {
  if (name !== "vscode" && name !== "cursor") return [];
  return hooksOfClaude(place).map((path) =>
    name === "vscode"
      ? `VS Code reads ${path} too, which has ThreadMind's hooks: its sessions are told the context twice. Keep one of the two.`
      : `Cursor can be set to read ${path} too, which has ThreadMind's hooks: they would run twice then.`,
  );
}

/** What is written for Codex where its config.toml has some of our hooks already, and what to say of that. */
export function withoutHooksInToml(specs: readonly FileSpec[]): {
  readonly specs: readonly FileSpec[];
  readonly notes: readonly string[];
} {
  const toml = specs.find(({ format }) => format === "toml");
  const events = toml === undefined ? [] : eventsOfHooks(toml.path);
  if (toml === undefined || events.length === 0) return { specs, notes: [] };
  const notes: string[] = [];
  const left = specs.flatMap((spec): readonly FileSpec[] => {
    if (spec.hooks === undefined) return [spec];
    const present = eventsOfHooks(spec.path);
    for (const event of spec.hooks.hooks.map((hook) => hook.event).filter((name) => events.includes(name)))
      notes.push(
        present.includes(event)
          ? `Both ${toml.path} (under [hooks]) and ${spec.path} have ThreadMind's hook for ${event}, so it runs twice: take one out.`
          : `ThreadMind's hook for ${event} is in ${toml.path} already, under [hooks]: none is put into ${spec.path}.`,
      );
    const hooks = spec.hooks.hooks.filter(({ event }) => !events.includes(event));
    return hooks.length === 0 ? [] : [{ ...spec, hooks: { ...spec.hooks, hooks } }];
  });
  return { specs: left, notes };
}

/** What --remove leaves in these files, because it isn't where setup writes. */
export function leftBehind(specs: readonly FileSpec[]): readonly string[] {
  return specs
    .filter(({ format, path }) => format === "toml" && eventsOfHooks(path).length > 0)
    .map(({ path }) => `${path} has hooks under [hooks] that call threadmind, which setup didn't write: they stay.`);
}
