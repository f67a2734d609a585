import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  type Prompt,
} from "@modelcontextprotocol/sdk/types.js";
import type { Argument } from "../commands/command.ts";
import { listProjectIds, listThreadIds, startingWith } from "../commands/known_ids.ts";
import { listShortcuts, nameOneOf, readingCall, renderShortcuts, type Shortcut } from "../commands/shortcuts.ts";
import { findNearest, idKey, quote } from "../core/id.ts";
import type { Session } from "../io/session.ts";
import { type InTurn, THREAD_TEMPLATE } from "./resources.ts";
import { textContent } from "./text.ts";

interface WrittenPrompt extends Prompt {
  render(input: Readonly<Record<string, string>>): string;
}

const MOST_VALUES = 100;
const SECTIONS = "## Decisions, ## Constraints, ## State, ## Open questions, ## Next steps";

/** Answers `prompts/…` and `completion/complete`: thread and project ids complete. */
export function offerPrompts(server: Server, session: Session, inTurn: InTurn): void {
  const prompts = [...writtenPrompts(), ...listShortcuts().map(promptOf)];
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ render: _, ...prompt }) => prompt),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined) throw unknownPrompt(params.name, prompts);
    const input = params.arguments ?? {};
    checkArguments(prompt, input);
    const message = { role: "user" as const, content: textContent(prompt.render(input)) };
    return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages: [message] };
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument } }) =>
    inTurn(async () => {
      if (ref.type === "ref/prompt" && !prompts.some(({ name }) => name === ref.name))
        throw unknownPrompt(ref.name, prompts);
      if (ref.type === "ref/resource" && ref.uri !== THREAD_TEMPLATE)
        throw invalid(`Unknown resource template ${quote(ref.uri)}: there is ${THREAD_TEMPLATE}`);
      const kind = ref.type === "ref/resource" ? "threadId" : argument.name;
      const values = matching(await idsFor(session, kind, argument.value), argument.value);
      return {
        completion: {
          values: values.slice(0, MOST_VALUES),
          total: values.length,
          hasMore: values.length > MOST_VALUES,
        },
      };
    }),
  );
}

function writtenPrompts(): WrittenPrompt[] {
  return [
    {
      name: "start-thread",
      title: "Start a thread",
      description: "Begin a new topic in a thread of its own",
      arguments: [{ name: "topic", description: "What the thread is about", required: true }],
      render: ({ topic = "" }) =>
        `Start a ThreadMind thread about: ${topic}\n\nCall thread_create with a short title. If the answer says that the parent has no summary yet, write the parent's decisions with summary_update and the parent's threadId: the new thread is the active one by then. Then load the context with context_get, and tell me what you understood.`,
    },
    {
      name: "summarize-thread",
      title: "Summarize the thread",
      description: "Write what this conversation decided into the active thread",
      arguments: [{ name: "topic", description: "Only what concerns this", required: false }],
      render: ({ topic = "" }) =>
        `Write what this conversation decided${topic.trim() === "" ? "" : ` about ${topic.trim()}`} into the active ThreadMind thread.\n\nRead what is there with context_get, merge it with what is new, so that nothing that still holds is lost, and call summary_update with these sections: ${SECTIONS}. Facts and reasons, no transcript; name the code it describes with paths.`,
    },
    {
      name: "tm-help",
      title: "ThreadMind shortcuts",
      description: "What can be typed after tm:",
      arguments: [],
      render: () => `Show me this list of ThreadMind shortcuts as it is:\n\n${renderShortcuts()}`,
    },
  ];
}

function promptOf(shortcut: Shortcut): WrittenPrompt {
  const { command, preset, oneOf, fromConversation } = shortcut;
  const open = shortcut.arguments.filter(({ name }) => name !== fromConversation);
  return {
    name: `tm-${shortcut.name}`,
    title: `tm: ${shortcut.name}`,
    description: shortcut.summary,
    arguments: open.map(({ name, description, isRequired }) => ({ name, description, required: isRequired })),
    render: (input) => {
      const typed = Object.fromEntries(open.flatMap((argument) => givenValue(argument, input[argument.name])));
      const given = { ...preset, ...typed };
      const call = Object.keys(given).length === 0 ? "" : ` with ${JSON.stringify(given)}`;
      if (oneOf.length > 0 && oneOf.every(({ name }) => !(name in given)))
        return `Ask me for ${nameOneOf(shortcut)}. Then call ThreadMind's ${command.name} with it and show me the answer.`;
      if (oneOf.length > 0)
        return `Call ThreadMind's ${command.name}${call} and show me the answer. If I typed something into the wrong place, put it right first: it takes ${nameOneOf(shortcut)}.`;
      if (fromConversation === undefined) return `Call ThreadMind's ${command.name}${call} and show me the answer.`;
      const reading = readingCall(typeof typed.threadId === "string" ? typed.threadId : undefined);
      return `Call ThreadMind's ${command.name}${call}; write its ${fromConversation} from this conversation, merged with what ${reading} shows, in the sections ${SECTIONS}.`;
    },
  };
}

function givenValue({ name, type }: Argument, value: string | undefined): [string, unknown][] {
  if (value === undefined || value.trim() === "") return [];
  if (type === "number") return [[name, Number(value)]];
  if (type === "boolean") return [[name, value === "true"]];
  return [[name, type === "list" ? value.split(/\s*,\s*/) : value]];
}

async function idsFor(session: Session, kind: string, typed: string): Promise<readonly string[]> {
  if (kind === "threadId" || kind === "newParentId") return listThreadIds(session, typed);
  return kind === "projectId" ? listProjectIds(session) : [];
}

/** Ids that begin with what was typed, then those that hold it, then near misses. */
function matching(ids: readonly string[], typed: string): readonly string[] {
  const starting = startingWith(ids, typed);
  const first = new Set(starting);
  const key = idKey(typed);
  const holding = ids.filter((id) => !first.has(id) && idKey(id).includes(key)).sort();
  const found = [...starting, ...holding];
  return found.length > 0 ? found : findNearest(typed, ids);
}

/** A misspelt argument would be passed over, and the prompt be about another thread than was meant. */
function checkArguments({ name, arguments: known = [] }: Prompt, input: Readonly<Record<string, string>>): void {
  const names = known.map((argument) => argument.name);
  const missing = known.find((argument) => argument.required === true && !input[argument.name]?.trim());
  const unknown = Object.keys(input).find((given) => !names.includes(given));
  if (unknown !== undefined) {
    const [nearest = missing?.name] = findNearest(unknown, names);
    const list = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`;
    const hint = nearest === undefined ? list : `did you mean ${nearest}?`;
    throw invalid(`The prompt ${name} has no argument ${quote(unknown)}: ${hint}`);
  }
  if (missing !== undefined) throw invalid(`The prompt ${name} needs ${missing.name}: ${missing.description}`);
}

function unknownPrompt(name: string, prompts: readonly Prompt[]): Error {
  const [nearest] = findNearest(
    name,
    prompts.map((prompt) => prompt.name),
  );
  return invalid(
    `Unknown prompt ${quote(name)}: ${nearest === undefined ? "see prompts/list" : `did you mean ${nearest}?`}`,
  );
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { code: ErrorCode.InvalidParams });
}
