import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { findNearest, quote } from "../core/id.ts";
import { forShell, forTools } from "../core/next_step.ts";
import { ThreadMindError } from "../errors.ts";
import type { Session } from "../io/session.ts";

/** What a call does to the user's data: decides the four MCP annotations. */
export type Effect = "read" | "add" | "set" | "destroy";

/** Where else than as a tool and a verb a person starts a command. */
export type Menu = "tm" | "plugin";

/** One way to call a command from the command line: `summary [threadId] < content`, with some arguments preset. */
export interface CliForm {
  readonly usage: string;
  readonly preset?: Readonly<Record<string, unknown>>;
  /** arguments of the command that make no sense here */
  readonly omits?: readonly string[];
  readonly summary?: string;
  /** its name as a shortcut and slash command, the verb unless given */
  readonly shortcut?: string;
  /** its own menus instead of its command's */
  readonly menu?: readonly Menu[];
  /** arguments of which at least one is needed; its shortcut takes them all */
  readonly oneOf?: readonly string[];
}

/** A parsed usage line: verb words, positional arguments, and the argument read from standard input. */
export interface Usage {
  readonly verb: string;
  readonly positionals: readonly { readonly name: string; readonly isRequired: boolean; readonly isRest: boolean }[];
  readonly stdin: string | undefined;
}

/** One argument of a command, for schemas, help and option parsing. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly type: "string" | "number" | "boolean" | "list";
  readonly choices: readonly string[] | undefined;
  readonly isRequired: boolean;
}

/** What a call gave: the value for `--json`, the text for people and models. */
export interface Outcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A capability, once for all surfaces. */
export interface Command {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly isIdempotent: boolean;
  readonly cli: readonly CliForm[];
  readonly menu: readonly Menu[];
  arguments(): readonly Argument[];
  /** JSON Schema of the arguments, flat */
  inputSchema(): Readonly<Record<string, unknown>>;
  /** validates the arguments strictly and runs; throws `ThreadMindError` */
  call(session: Session, input: unknown): Promise<Outcome>;
}

interface Definition<Entries extends v.ObjectEntries, Value extends object> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly isIdempotent?: boolean;
  readonly cli: string | readonly CliForm[];
  readonly menu: readonly Menu[];
  readonly input: Entries;
  readonly run: (session: Session, input: v.InferOutput<v.StrictObjectSchema<Entries, undefined>>) => Promise<Value>;
  /** `say` puts a next step of ours into the words of the surface that the text is for */
  readonly text: (value: Value, say: (message: string) => string) => string;
}

/** Makes a command out of its parts; the schema's types reach `run`, and the registry holds one plain type. */
export function defineCommand<const Entries extends v.ObjectEntries, Value extends object>(
  definition: Definition<Entries, Value>,
): Command {
  const schema = v.strictObject(definition.input);
  let described: readonly Argument[] | undefined;
  const describe = (): readonly Argument[] => {
    described ??= Object.entries(definition.input).map(([argument, entry]) => describeArgument(argument, entry));
    return described;
  };
  const { name, title, description, effect, cli, menu } = definition;
  return {
    ...{ name, title, description, effect, menu },
    isIdempotent: definition.isIdempotent ?? effect === "read",
    cli: typeof cli === "string" ? [{ usage: cli }] : cli,
    arguments: describe,
    inputSchema() {
      const { $schema: _, required, ...rest } = toJsonSchema(schema, { errorMode: "throw" });
      return required === undefined || required.length === 0 ? rest : { ...rest, required };
    },
    async call(session, input) {
      const say = session.isCommandLine ? forShell : forTools;
      try {
        const value = inWords(await definition.run(session, parseInput(name, schema, describe, input)), say);
        return { value: value as Readonly<Record<string, unknown>>, text: definition.text(value, say) };
      } catch (error) {
        if (!(error instanceof ThreadMindError)) throw error;
        throw new ThreadMindError(error.code, error.message, say(error.hint));
      }
    },
  };
}

interface Messages {
  readonly warnings?: readonly string[];
  readonly notices?: readonly string[];
  readonly faults?: readonly { readonly hint: string }[];
}

/** A value whose warnings, notices and faults' hints are in a surface's words. */
function inWords<Value extends object>(value: Value & Messages, say: (message: string) => string): Value {
  const { warnings, notices, faults } = value;
  return {
    ...value,
    ...(warnings === undefined ? {} : { warnings: warnings.map(say) }),
    ...(notices === undefined ? {} : { notices: notices.map(say) }),
    ...(faults === undefined ? {} : { faults: faults.map((fault) => ({ ...fault, hint: say(fault.hint) })) }),
  };
}

function describeArgument(name: string, entry: v.ObjectEntries[string]): Argument {
  const json = toJsonSchema(v.object({ [name]: entry }), { errorMode: "throw" });
  const property = json.properties?.[name];
  const shape = typeof property === "object" ? property : {};
  return {
    name,
    description: shape.description ?? "",
    type:
      shape.type === "array"
        ? "list"
        : shape.type === "number" || shape.type === "integer"
          ? "number"
          : shape.type === "boolean"
            ? "boolean"
            : "string",
    choices: shape.enum?.filter((choice): choice is string => typeof choice === "string"),
    isRequired: (json.required ?? []).includes(name),
  };
}

function parseInput<Schema extends v.GenericSchema>(
  command: string,
  schema: Schema,
  known: () => readonly Argument[],
  input: unknown,
): v.InferOutput<Schema> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new ThreadMindError("invalid-argument", `Cannot call ${command}: its arguments are not an object.`, "");
  }
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined));
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  throw inputError(command, known(), given, result.issues[0]);
}

function inputError(
  command: string,
  known: readonly Argument[],
  given: Readonly<Record<string, unknown>>,
  issue: v.BaseIssue<unknown>,
): ThreadMindError {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  const refuse = (why: string, hint: string): ThreadMindError =>
    new ThreadMindError("invalid-argument", `Cannot call ${command}: ${why}.`, hint);
  if (unknown !== undefined) {
    const [nearest] = findNearest(unknown, names);
    const list = names.length === 0 ? "It takes no arguments." : `Its arguments are: ${names.join(", ")}.`;
    return refuse(`it has no argument ${quote(unknown)}`, nearest === undefined ? list : `Did you mean ${nearest}?`);
  }
  const path = v.getDotPath(issue) ?? "";
  const argument = known.find(({ name }) => name === path.split(".")[0]);
  const about = argument === undefined ? "" : `${argument.name}: ${argument.description}.`;
  if (argument !== undefined && !(argument.name in given))
    return refuse(`the argument ${argument.name} is missing`, about);
  if (issue.kind === "schema") {
    const entry = issue.path?.[1];
    const where = typeof entry?.key === "number" ? `, but its entry ${entry.key + 1} is` : ", not";
    const [nearest] = typeof issue.input === "string" ? findNearest(issue.input, argument?.choices ?? []) : [];
    const hint = nearest === undefined ? about : `Did you mean ${nearest}?`;
    return refuse(`${argument?.name ?? path} must be ${expectation(argument)}${where} ${nameValue(issue.input)}`, hint);
  }
  return refuse(issue.message.replace(/\.$/, ""), about);
}

/** A value that is of a wrong type, as JSON's terms and a person's name it. */
function nameValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function expectation(argument: Argument | undefined): string {
  if (argument?.choices !== undefined) return `one of ${argument.choices.join(", ")}`;
  const names = { string: "a text", number: "a whole number", boolean: "true or false", list: "a list of texts" };
  return names[argument?.type ?? "string"];
}

/** Reads a usage line into its parts. */
export function parseUsage(usage: string): Usage {
  const [call = "", input] = usage.split(" < ");
  const words = call.split(" ");
  const isPositional = (word: string): boolean => /^[<[]/.test(word);
  return {
    verb: words.filter((word) => !isPositional(word)).join(" "),
    positionals: words.filter(isPositional).map((word) => ({
      name: word.replace(/[<>[\].]/g, ""),
      isRequired: word.startsWith("<"),
      isRest: word.includes("..."),
    })),
    stdin: input,
  };
}
