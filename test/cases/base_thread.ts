import { writeFileSync } from "node:fs";
import { run } from "../support/binary.ts";
import { type Answer, type ConnectedClient, openClient } from "../support/client.ts";
import { type ThreadText, threadFile, writeProject } from "../support/stored_project.ts";
import { type GitRepository, gitRepository } from "../support/temp.ts";

/** The header of the thread auth, a child of main, as ThreadMind writes it. */
export const HEADER = `---
id: auth
title: Auth
parentId: main
author: sam-1a2b
createdAt: 2026-04-15T10:00:00.000Z
updatedAt: 2026-04-15T12:30:00.000Z
---
`;

/** The whole file of that thread. */
export const BASE = `${HEADER}
## Decisions
- JWT in a cookie

## State
- login done
`;

/** The same header above another body. */
export const withBody = (body: string): string => `${HEADER}\n${body}`;

/** A committed repository with a project whose threads have exactly these files, beside ordinary ones. */
export function repositoryWith(
  files: Readonly<Record<string, string>>,
  threads: Readonly<Record<string, ThreadText>> = {},
): GitRepository {
  const repository = gitRepository();
  writeProject(repository.top, threads);
  for (const [thread, text] of Object.entries(files)) writeFileSync(threadFile(repository.top, thread), text);
  repository.write(".gitattributes", "* -text\n");
  repository.write(".threadmind/.gitignore", "config.json\nlocal/\n");
  repository.commit("Start");
  return repository;
}

/** Calls tools of one session, one after the other, and returns what they answered. */
export async function answers(
  { top }: Pick<GitRepository, "top">,
  ...calls: readonly (readonly [tool: string, args?: Readonly<Record<string, unknown>>])[]
): Promise<Answer[]> {
  return await inSession({ top }, async ({ call }) => {
    const all: Answer[] = [];
    for (const [tool, args] of calls) all.push(await call(tool, args));
    return all;
  });
}

/** Works with one session's client, which is closed whatever happens. */
export async function inSession<T>(
  { top }: Pick<GitRepository, "top">,
  work: (client: ConnectedClient) => Promise<T>,
): Promise<T> {
  const client = await openClient({ cwd: top });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Runs a command that must succeed and returns its output. */
export async function output({ top }: Pick<GitRepository, "top">, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(words, { cwd: top });
  if (code !== 0) throw new Error(`threadmind ${words.join(" ")} exited ${code}: ${stderr}`);
  return stdout;
}

/** The lines that differ from the last commit, without git's own: `-old` and `+new`. */
export function changedLines({ git }: GitRepository): string[] {
  const lines = git("diff", "--unified=0", "--", ".threadmind/threads").split("\n");
  return lines.filter((line) => /^[-+](?![-+]{2} )/.test(line));
}
