import type { Finding } from "../core/finding.ts";
import { projectIdOfFile, threadIdOfFile } from "../core/id.ts";
import { checkoutLine, hasWayBack, threadOfFile, withWayBack } from "../core/way_back.ts";
import { prefixOf } from "./fingerprint.ts";
import { listKept } from "./kept.ts";
import type { Place } from "./scene.ts";

/** Each costs a process. */
const MOST_HISTORIES = 5;

/** Findings whose way to an earlier text is one that leads there: git's where HEAD has the file, else the kept texts, else none. */
export async function settleWaysBack(place: Place, findings: readonly Finding[]): Promise<readonly Finding[]> {
  const files = findings.flatMap(({ file, remedy }) => (file !== undefined && hasWayBack(remedy) ? [file] : []));
  if (files.length === 0) return findings;
  const committed = await findCommitted(place, files);
  const stored = await findStored(
    place,
    files.filter((file) => !committed.has(file)),
  );
  return findings.map((finding) => {
    const { file, remedy } = finding;
    if (file === undefined || !hasWayBack(remedy) || stored.has(file)) return finding;
    return { ...finding, remedy: withWayBack(remedy, committed.has(file) ? checkoutLine(file) : undefined) };
  });
}

/** Those of the workspace's files that HEAD has. */
export async function findCommitted({ git, workspace }: Place, files: readonly string[]): Promise<ReadonlySet<string>> {
  if (git === undefined || files.length === 0) return new Set();
  const prefix = prefixOf(git, workspace.root);
  const nameOf = (file: string): string => `HEAD:${prefix}${file}`;
  const found = (await git.present(files.map(nameOf))) ?? new Set();
  return new Set(files.filter((file) => found.has(nameOf(file))));
}

/** Those of the files whose thread has a text that its restore would bring back. */
async function findStored({ git, workspace, store }: Place, files: readonly string[]): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  let asked = 0;
  for (const file of files) {
    const named = threadOfFile(file);
    const [project, thread] = [projectIdOfFile(named?.project ?? ""), threadIdOfFile(named?.thread ?? "")];
    if (project === undefined || thread === undefined) continue;
    const isKept = listKept(store.layout, project, thread).length > 0;
    const mayAsk = !isKept && git !== undefined && asked < MOST_HISTORIES;
    if (mayAsk) asked++;
    const commits = mayAsk ? await git.versions(`${prefixOf(git, workspace.root)}${file}`) : undefined;
    if (isKept || (commits ?? []).length > 0) stored.add(file);
  }
  return stored;
}
