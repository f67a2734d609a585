import { type Argument, type CliForm, type Command, type Menu, parseUsage, type Usage } from "./command.ts";
import { COMMANDS } from "./registry.ts";

/** What can be typed as `tm: <name>`, is offered as the prompt `tm-<name>`, or is the plugin's slash command `<name>`. */
export interface Shortcut {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly command: Command;
  readonly preset: Readonly<Record<string, unknown>>;
  readonly arguments: readonly Argument[];
  /** those of the arguments of which at least one is needed */
  readonly oneOf: readonly Argument[];
  /** the argument that the model writes from the conversation */
  readonly fromConversation: string | undefined;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { threadId: "ID", newParentId: "PARENT", query: "WORDS" };

/** All shortcuts of a menu, in the order of the registry. */
export function listShortcuts(menu: Menu = "tm"): readonly Shortcut[] {
  return COMMANDS.flatMap((command) =>
    command.cli
      .filter((form) => menusOf(command, form).includes(menu))
      .map((form): Shortcut => {
        const usage = parseUsage(form.usage);
        const name = form.shortcut ?? usage.verb;
        const preset = form.preset ?? {};
        const all = argumentsOf(command, usage, form.oneOf ?? []);
        return {
          ...{ name, command, preset },
          usage: [name, ...usage.positionals.map(placeholderOf)].join(" "),
          summary: form.summary ?? command.description,
          arguments: all,
          oneOf: all.filter((argument) => form.oneOf?.includes(argument.name)),
          fromConversation: usage.stdin,
        };
      }),
  );
}

/** The arguments in the order in which they are typed; what is required is the form's to say: `abandon` needs a reason. */
function argumentsOf(command: Command, { positionals, stdin }: Usage, oneOf: readonly string[]): readonly Argument[] {
  const known = command.arguments();
  const typed = positionals.flatMap(({ name, isRequired }) =>
    known.filter((argument) => argument.name === name).map((argument) => ({ ...argument, isRequired })),
  );
  const also = known.filter(({ name }) => name === stdin || oneOf.includes(name));
  return [...typed, ...also.filter(({ name }) => typed.every((argument) => argument.name !== name))];
}

/** How an argument is shown: `ID`, or `[ID]` where it may be left out. */
function placeholderOf({ name, isRequired }: Usage["positionals"][number]): string {
  const word = PLACEHOLDERS[name] ?? name.toUpperCase();
  return isRequired ? word : `[${word}]`;
}

/** A shortcut's arguments of which one is needed, for a sentence that asks for them. */
export function nameOneOf({ oneOf }: Shortcut): string {
  return oneOf.map(({ name, description }) => `${name} (${lowerFirst(description)})`).join(" or ");
}

/** How a model finds the text that it is to merge with: the whole summary of the thread it writes to. */
export function readingCall(threadId: string | undefined): string {
  return threadId === undefined ? "context_get" : `context_get with ${JSON.stringify({ threadId, alone: true })}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Where a form stands: its own menus, else its command's. */
export function menusOf(command: Command, form: CliForm): readonly Menu[] {
  return form.menu ?? command.menu;
}

/** The shortcuts as a list for people. */
export function renderShortcuts(): string {
  return listShortcuts()
    .map(({ usage, summary }) => `tm: ${usage} — ${summary}`)
    .join("\n");
}
