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
        return {
          ...{ name, command, preset },
          usage: [name, ...usage.positionals.map(placeholderOf)].join(" "),
          summary: form.summary ?? command.description,
          arguments: argumentsOf(command, usage),
          fromConversation: usage.stdin,
        };
      }),
  );
}

/** The arguments in the order in which they are typed; what is required is the form's to say: `abandon` needs a reason. */
function argumentsOf(command: Command, { positionals, stdin }: Usage): readonly Argument[] {
  const known = command.arguments();
  const typed = positionals.flatMap(({ name, isRequired }) =>
    known.filter((argument) => argument.name === name).map((argument) => ({ ...argument, isRequired })),
  );
  return [...typed, ...known.filter(({ name }) => name === stdin)];
}

/** How an argument is shown: `ID`, or `[ID]` where it may be left out. */
function placeholderOf({ name, isRequired }: Usage["positionals"][number]): string {
  const word = PLACEHOLDERS[name] ?? name.toUpperCase();
  return isRequired ? word : `[${word}]`;
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
