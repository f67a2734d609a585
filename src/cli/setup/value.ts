/** What a configuration file holds, objects as maps, so that `__proto__` is a key like any other. */
export type Value = string | number | boolean | null | readonly Value[] | ReadonlyMap<string, Value>;

/** A value that is to be written, in the order of its keys. */
export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** A configuration file that was read: where it is, for messages, and what stands in it. */
export interface ConfigText {
  readonly path: string;
  readonly text: string;
}

/** True if a value is an object. */
export function isMap(value: Value | undefined): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

/** True if a value is a list. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value that a written one is read as. */
export function toValue(plain: Plain): Value {
  if (typeof plain !== "object") return plain;
  if (isPlainList(plain)) return plain.map(toValue);
  return new Map(Object.entries(plain).map(([key, value]) => [key, toValue(value)]));
}

/** True if a value to write is a list. */
export function isPlainList(plain: Plain): plain is readonly Plain[] {
  return Array.isArray(plain);
}

/** True if two values are the same, the order of keys included. */
export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (!isMap(one) || !isMap(other)) return one === other;
  const [mine, theirs] = [[...one], [...other]];
  return mine.length === theirs.length && mine.every(([key, value], at) => isSameEntry(key, value, theirs[at]));
}

function isSameEntry(key: string, value: Value, other: readonly [string, Value] | undefined): boolean {
  return other !== undefined && other[0] === key && isSame(value, other[1]);
}

/** The strings of a list, `[]` for anything else. */
export function stringsOf(value: Value | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A parser that knows the last two texts again: one file is looked at many times between two edits. */
export function remembering<T extends ConfigText>(parse: (file: ConfigText) => T): (file: ConfigText) => T {
  const parsed: T[] = [];
  return (file) => {
    const known = parsed.find(({ path, text }) => path === file.path && text === file.text);
    if (known !== undefined) return known;
    const document = parse(file);
    parsed.splice(0, parsed.length - 1);
    parsed.push(document);
    return document;
  };
}
