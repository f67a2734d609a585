import * as v from "valibot";
import { LEAST_TOKENS } from "../core/context.ts";
import { SECTION_NAMES } from "../core/headings.ts";

/** A thread's id, or `project/thread`. */
export function threadIdArgument(description: string) {
  return v.optional(v.pipe(v.string(), v.description(description)));
}

/** A required text. */
export function textArgument(description: string) {
  return v.pipe(v.string(), v.description(description));
}

/** An optional text. */
export function optionalText(description: string) {
  return v.optional(textArgument(description));
}

/** An optional switch. */
export function optionalFlag(description: string) {
  return v.optional(v.pipe(v.boolean(), v.description(description)));
}

/** The token budget of a context. */
export const maxTokensArgument = v.optional(
  v.pipe(
    v.number(),
    v.integer("maxTokens must be a whole number"),
    v.minValue(LEAST_TOKENS, `maxTokens must be at least ${LEAST_TOKENS}`),
    v.description(`Token budget, at least ${LEAST_TOKENS}`),
  ),
);

/** The mode of a project. */
export const modeArgument = v.optional(
  v.pipe(v.picklist(["solo", "team"]), v.description("solo (default) or team: only a thread's author changes it")),
);

/** One of the five sections. */
export const sectionArgument = v.optional(v.pipe(v.picklist(SECTION_NAMES), v.description("Change only this section")));

/** The code that a thread describes. */
export const pathsArgument = v.optional(
  v.pipe(
    v.array(v.string()),
    v.description("Files or folders the thread describes, relative to the workspace; [] clears them"),
  ),
);
