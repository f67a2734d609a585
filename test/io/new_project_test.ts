import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectId, ThreadId } from "../../src/core/id.ts";
import { ThreadMindError } from "../../src/errors.ts";
import { putNewProject } from "../../src/io/new_project.ts";
import { openStore, type Project, type Writer } from "../../src/io/store.ts";
import { temporaryFolder } from "../support/temp.ts";

const ID = "new" as ProjectId;
const PROJECT: Project = { id: ID, title: "New", systemContext: "", mode: "solo", rootThreadId: "main" };
const THREADS = new Map(["main", "a"].map((id) => [id as ThreadId, `---\nid: ${id}\n---\n`]));

/** Writes the project with a writer whose last step fails after `before`; gives the error and the project's folder. */
async function failing(before: (folder: string) => void): Promise<{ error: ThreadMindError; folder: string }> {
  const store = openStore(temporaryFolder("root"), () => new Date());
  const folder = join(store.layout.threads, ID);
  const put = store.change(async (writer) => {
    const broken: Writer = {
      ...writer,
      putProject() {
        expect(existsSync(join(folder, "a.md"))).toBe(true);
        before(folder);
        throw new ThreadMindError("storage", "Cannot write it: no space.", "Free some.");
      },
    };
    putNewProject(store.layout, broken, PROJECT, THREADS);
  });
  const error: unknown = await put.catch((thrown: unknown) => thrown);
  if (!(error instanceof ThreadMindError)) throw new Error(String(error));
  return { error, folder };
}

test("`putNewProject()` takes back what it wrote where it can't write all", async () => {
  const { error, folder } = await failing(() => {});
  expect([error.message, error.hint]).toEqual(["Cannot write it: no space.", "Free some."]);
  expect(existsSync(folder)).toBe(false);
});

test("`putNewProject()` says what it could not take back", async () => {
  const stranger = await failing((folder) => writeFileSync(join(folder, "other.txt"), "x"));
  expect(existsSync(join(stranger.folder, "main.md"))).toBe(false);
  expect(stranger.error.hint).toBe(
    "Free some.\nLeft behind is .threadmind/threads/new (it holds other files): look into it, then remove it.",
  );
});
