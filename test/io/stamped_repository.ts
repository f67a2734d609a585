import { afterAll, beforeAll } from "bun:test";
import { type NewStamp, readStaleNotes, type Subject, takeStamp } from "../../src/io/freshness.ts";
import { openGit } from "../../src/io/git.ts";
import { type GitRepository, gitRepository, temporaryHome } from "../support/temp.ts";

/** A summary that was written in a repository: what its thread file records. */
export type Written = Subject;

/** A repository in which summaries are stamped and checked by the functions that the program uses. */
export interface StampedRepository extends GitRepository {
  /** The stamp that a summary gets now. */
  stamp(paths: readonly string[]): Promise<NewStamp>;
  /** A thread whose summary is written now, without a file of its own. */
  summary(paths: readonly string[], id?: string): Promise<Written>;
  /** The note under a thread's heading now; `undefined` if nothing is said. */
  note(written: Written): Promise<string | undefined>;
}

/** Where a thread's file is. */
export function threadFile(id: string): string {
  return `.threadmind/threads/app/${id}.md`;
}

/** Gives the functions of this test file a home folder without this machine's git configuration. */
export function useOwnHome(): void {
  const before = process.env.HOME;
  beforeAll(() => {
    process.env.HOME = temporaryHome();
  });
  afterAll(() => {
    if (before === undefined) delete process.env.HOME;
    else process.env.HOME = before;
  });
}

/** Adds to a repository what is done with stamps, for a workspace at its top. */
export function stamped(repository: GitRepository): StampedRepository {
  const { top } = repository;
  return {
    ...repository,
    stamp: (paths) => takeStamp(openGit(top), top, paths),
    async summary(paths, id = "auth") {
      return { id, file: threadFile(id), paths, ...(await takeStamp(openGit(top), top, paths)) };
    },
    async note(written) {
      return (await readStaleNotes(openGit(top), top, [written])).get(written.id);
    },
  };
}

/** A new repository with one commit of these files. */
export function stampedRepository(files: Readonly<Record<string, string>> = {}): StampedRepository {
  const repository = stamped(gitRepository());
  repository.commit("Start", files);
  return repository;
}
