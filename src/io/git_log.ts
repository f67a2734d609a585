/** Options that keep a user's configuration from changing what `git log` prints. */
export const LOG_OPTIONS: readonly string[] =
  "--encoding=UTF-8 --root --no-renames --no-follow --diff-merges=off --no-show-signature --no-color --no-ext-diff --no-notes --no-decorate --no-mailmap --ignore-submodules=none".split(
    " ",
  );

/** One commit of a log: the fields of its format, and the names of the files. */
export interface LogRecord {
  readonly fields: readonly string[];
  readonly files: readonly string[];
}

/**
 * Reads `git log -z --name-only` whose format begins with a NUL and has `count` fields with NULs between: no name is
 * empty, so two NULs in a row stand between commits and nowhere else.
 */
export function parseLog(stdout: string, count: number): readonly LogRecord[] {
  if (stdout === "") return [];
  return stdout
    .slice(1)
    .split("\0\0")
    .map((record) => {
      const parts = record.split("\0");
      const names = parts.slice(count).map((name, index) => (index === 0 ? name.replace(/^\n/, "") : name));
      return { fields: parts.slice(0, count), files: names.filter((name) => name !== "") };
    });
}
