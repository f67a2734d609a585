/** A path that a thread describes, or why it can't be one. */
export type PathResult = { readonly path: string } | { readonly fault: string };

/**
 * One of a thread's `paths` in the form that is recorded: relative to the workspace, `/` between parts, literal;
 * `.` is the whole workspace. Backslashes separate only where `hasBackslashes` (Windows).
 */
export function normalisePath(typed: string, hasBackslashes: boolean): PathResult {
  const text = hasBackslashes ? typed.replace(/\\/g, "/") : typed;
  if (text.trim() === "") return { fault: "it is empty" };
  if (text.startsWith("/") || /^[a-z]:/i.test(text)) return { fault: "it is absolute" };
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return { fault: "it holds a control character" };
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes(".."))
    return { fault: leadsOut(parts) ? "it leads out of the workspace" : ".. is not allowed in it" };
  return { path: parts.length === 0 ? "." : parts.join("/") };
}

/** True if the parts of a path, read one after the other, once stand above where they begin. */
function leadsOut(parts: readonly string[]): boolean {
  let depth = 0;
  return parts.some((part) => {
    depth += part === ".." ? -1 : 1;
    return depth < 0;
  });
}

/** The valid ones of recorded paths, which may have been edited by hand. */
export function usablePaths(recorded: readonly string[]): string[] {
  const results = recorded.map((path) => normalisePath(path, false));
  return [...new Set(results.flatMap((result) => ("path" in result ? [result.path] : [])))];
}

/** True if `file` is `path` or below it, component by component. */
export function isUnder(path: string, file: string): boolean {
  return path === "." || file === path || file.startsWith(`${path}/`);
}
