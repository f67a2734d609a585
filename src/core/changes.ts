import { durableUnits, otherText } from "./durable.ts";
import { DURABLE_NAMES, SECTION_NAMES } from "./headings.ts";
import { hasKnownSection, parseSummary, sectionText } from "./summary.ts";
import type { ThreadFields } from "./thread_file.ts";
import { splitUnits, type Unit } from "./units.ts";

/** One version of a thread: what its header says, and its body. */
export interface Version {
  readonly fields: ThreadFields;
  readonly body: string;
}

/** What changed from one version to the next, in a few words each: `Decisions +2 −1`, `title`, `done`. */
export function describeChanges(older: Version | undefined, newer: Version): string[] {
  if (older === undefined) return ["created", ...countUnits("", newer.body)];
  const { fields: before } = older;
  const { fields: after } = newer;
  return [
    before.title === after.title ? "" : `title ${JSON.stringify(after.title ?? "")}`,
    before.status === after.status ? "" : (after.status ?? "open"),
    before.parentId === after.parentId ? "" : `moved below ${after.parentId ?? "no thread"}`,
    before.author === after.author ? "" : `author ${after.author ?? "none"}`,
    before.branch === after.branch ? "" : after.branch === undefined ? "unlinked" : `linked to ${after.branch}`,
    ...countUnits(older.body, newer.body),
  ].filter((change) => change !== "");
}

/** Bullets and paragraphs added and removed, by section; texts without sections count as one. */
function countUnits(older: string, newer: string): string[] {
  const hasSections = hasKnownSection(older) || hasKnownSection(newer);
  const names: readonly (string | undefined)[] = hasSections ? [...SECTION_NAMES, undefined] : [undefined];
  return names.flatMap((name) => {
    const [before, after] = [older, newer].map((body) => keysOf(body, name, hasSections));
    const added = [...(after ?? [])].filter((key) => before?.has(key) !== true).length;
    const removed = [...(before ?? [])].filter((key) => after?.has(key) !== true).length;
    if (added === 0 && removed === 0) return [];
    const counts = [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].filter((count) => count !== "");
    return [`${name ?? (hasSections ? "other text" : "text")} ${counts.join(" ")}`];
  });
}

function keysOf(body: string, name: string | undefined, hasSections: boolean): ReadonlySet<string> {
  const summary = parseSummary(body);
  const section = SECTION_NAMES.find((known) => known === name);
  if (section === undefined) return keysIn(hasSections ? otherText(summary) : body);
  if (DURABLE_NAMES.includes(section) && summary.sections.length > 0)
    return keysOfUnits(durableUnits(summary, section));
  return keysIn(sectionText(summary, section) ?? "");
}

function keysIn(text: string): ReadonlySet<string> {
  return keysOfUnits(splitUnits(text));
}

function keysOfUnits(units: readonly Unit[]): ReadonlySet<string> {
  return new Set(units.map(({ key }) => key));
}
