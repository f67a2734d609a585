import { type Finding, findingOf } from "../core/finding.ts";
import { parseThreadFile, repairThreadFile } from "../core/thread_file.ts";
import { changeConfig, readConfig } from "../io/config.ts";
import { kindOf, readText, removeFile, writeWhole } from "../io/files.ts";
import {
  hideState,
  holdsProjects,
  isStateBare,
  type Layout,
  listLeftovers,
  missingLocalRules,
  missingRules,
  type Rules,
  shownPath,
} from "../io/layout.ts";
import type { Place } from "../io/scene.ts";
import type { Writer } from "../io/store.ts";

/** A repair that loses nothing: the finding that stands for it until it is made, and how it is made. */
export interface Repair {
  readonly finding: Finding;
  /** makes it, and says what was done; nothing if there was nothing left to do */
  apply(writer: Writer): string | undefined;
}

const FIX = "threadmind doctor --fix";

/** All that `doctor --fix` would do. */
export async function planRepairs(place: Place): Promise<readonly Repair[]> {
  const { layout } = place.store;
  return [...planLeftovers(layout), ...planConfig(layout), ...(await planHeaders(place)), ...planRules(layout)];
}

/** Makes the repairs, and tells each. */
export async function makeRepairs({ store }: Place, repairs: readonly Repair[]): Promise<readonly string[]> {
  if (repairs.length === 0) return ["nothing; what is left needs a person."];
  return await store.change(async (writer) => repairs.flatMap((repair) => repair.apply(writer) ?? []));
}

function planLeftovers(layout: Layout): readonly Repair[] {
  return [layout.temporary, layout.local].flatMap(listLeftovers).map((path) => {
    const file = shownPath(layout, path);
    return {
      finding: findingOf({ file }, "leftover", "note", "A process that was ended while writing left it.", FIX),
      apply: () => {
        removeFile(path);
        return `removed ${file}`;
      },
    };
  });
}

function planConfig(layout: Layout): readonly Repair[] {
  const { fault } = readConfig(layout);
  if (fault === undefined) return [];
  const message = `${fault} It counts as empty.`;
  const remedy = `${FIX} sets it aside`;
  return [
    {
      finding: findingOf({ file: undefined }, "config-unreadable", "error", message, remedy),
      apply: (writer) => changeConfig(layout, writer, {}),
    },
  ];
}

/** Headers that other readers of YAML misread. */
async function planHeaders({ store }: Place): Promise<readonly Repair[]> {
  const { layout } = store;
  const repairs: Repair[] = [];
  for (const project of store.readProjects().projects) {
    const { tree } = await store.readThreads(project);
    for (const thread of tree.threads.values()) {
      const read = readText(`${layout.root}/${thread.file}`);
      const file = read !== undefined && "text" in read ? await parseThreadFile(read.text) : undefined;
      if (file === undefined || "message" in file || thread.conflictLine !== undefined) continue;
      const text = repairThreadFile(file);
      if (text === file.source) continue;
      const message = "Other readers of YAML read its header otherwise, or not at all.";
      repairs.push({
        finding: findingOf(thread, "file-detail", "note", message, FIX),
        apply: (writer) => {
          const now = readText(`${layout.root}/${thread.file}`);
          if (now === undefined || !("text" in now) || now.text !== file.source) return undefined;
          writer.putThread(project.id, thread.id, text);
          return `${thread.file}: ${file.repaired ?? "its header is written so that every YAML reader reads it."}`;
        },
      });
    }
  }
  return repairs;
}

/** What tells git to leave this checkout's state alone, and to ask the merge driver. */
function planRules(layout: Layout): readonly Repair[] {
  if (isStateBare(layout)) return [planHiding(layout)];
  const ofLocal = kindOf(layout.local) === undefined ? undefined : missingLocalRules(layout);
  const rules = [...(holdsProjects(layout) ? missingRules(layout) : []), ...(ofLocal === undefined ? [] : [ofLocal])];
  return rules.map((each) => planLines(layout, each));
}

function planHiding(layout: Layout): Repair {
  const file = `${shownPath(layout, layout.data)}/.gitignore`;
  const message =
    "It is missing, and this branch has no project that brings it, so git sees this checkout's own state.";
  return {
    finding: findingOf({ file }, "missing-rules", "note", message, FIX),
    apply: () => {
      hideState(layout);
      return `wrote ${file}, which ignores itself until this branch has a project`;
    },
  };
}

function planLines(layout: Layout, { path, missing, text }: Rules): Repair {
  const file = shownPath(layout, path);
  const isThere = kindOf(path) !== undefined;
  const lines = missing.join(", ");
  const message =
    missing.length === 0
      ? "It hides itself from git, though this branch has a project."
      : `${isThere ? "It lacks" : "It is missing; it is to hold"} ${lines}.`;
  return {
    finding: findingOf({ file }, "missing-rules", "note", message, FIX),
    apply: () => {
      // The lock's holder has prepared the folder, and with it most rules.
      const now = readText(path);
      if (now === undefined || !("text" in now) || now.text !== text) writeWhole(path, text, layout.temporary);
      return missing.length === 0 ? `took out of ${file} what hid it from git` : `added the missing lines to ${file}`;
    },
  };
}
