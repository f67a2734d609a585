import { SECTION_NAMES, type SectionName } from "./headings.ts";
import type { ThreadId } from "./id.ts";
import { isTooLong } from "./markdown.ts";

/** A thread to be made of what people had elsewhere. */
export interface ImportedThread {
  readonly id: ThreadId;
  readonly title: string;
  readonly body: string;
}

/** A piece of a text that the file holds in another spelling, and the 1-based line of the file that it is from. */
export interface ImportedPiece {
  readonly line: number;
  readonly text: string;
}

/** A project to be made: its root, and threads below it. */
export interface ImportedProject {
  /** what the file gives as the project's title; a title that is given with the call takes its place */
  readonly title: string | undefined;
  readonly body: string;
  readonly children: readonly ImportedThread[];
  /** what was decoded on the way: only here do its lines tell where in the file it stands */
  readonly pieces: readonly ImportedPiece[];
  /** 1-based lines of what could not be read; the root's State holds it as it is */
  readonly unread: readonly number[];
  /** what a person should know of how it was read, in sentences */
  readonly remarks: readonly string[];
}

/** Why a file can't be made a project of, and the next step. */
export interface ImportFault {
  readonly why: string;
  readonly hint: string;
}

/** The content of one section of a summary: the heading as it is to be written, without hashes, and the texts below it. */
export interface ImportedSection {
  readonly heading: string;
  readonly texts: readonly string[];
}

/** Sections of a summary as Markdown, in standard order. */
export function renderSections(sections: ReadonlyMap<SectionName, ImportedSection>): string {
  return SECTION_NAMES.flatMap((name) => {
    const section = sections.get(name);
    if (section === undefined) return [];
    return [`## ${section.heading}\n${section.texts.join("\n\n")}`.trimEnd().concat("\n")];
  }).join("\n");
}

/** A text as a fenced block of code that nothing in it closes. */
export function fenced(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A sentence on threads that are too long for their sections to be read. */
export function remarkOnSize(threads: readonly { readonly id: string; readonly body: string }[]): readonly string[] {
  const long = threads.flatMap(({ id, body }) => (isTooLong(body) ? [id] : []));
  return long.length === 0 ? [] : [`⚠ Longer than 4 MiB, so that no sections are read in it: ${long.join(", ")}.`];
}
