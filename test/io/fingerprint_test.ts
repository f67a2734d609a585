import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeStamp } from "../../src/io/freshness.ts";
import { openGit } from "../../src/io/git.ts";
import { gitRepository } from "../support/temp.ts";
import { CONTENT_ROWS } from "./fingerprint_content_table.ts";
import { type Row, WORKING_TREE_ROWS } from "./fingerprint_table.ts";
import { useOwnHome } from "./stamped_repository.ts";

useOwnHome();

const ROWS = [...WORKING_TREE_ROWS, ...CONTENT_ROWS];

/** The fingerprint of these lines, computed without ThreadMind. */
function fingerprintOf({ tracked, untracked = [] }: Row): string {
  const hash = (lines: readonly string[]): string => {
    const sorted = lines.map((line) => Buffer.from(line)).sort(Buffer.compare);
    return new Bun.CryptoHasher("sha256").update(Buffer.concat(sorted)).digest("hex").slice(0, 16);
  };
  return untracked.length === 0 ? `1-${hash(tracked)}` : `1-${hash(tracked)}-${hash([...tracked, ...untracked])}`;
}

function arrange({ objectFormat, ...row }: Row): string {
  const repository = gitRepository();
  if (objectFormat !== undefined) {
    rmSync(join(repository.top, ".git"), { recursive: true });
    repository.git("init", "--quiet", `--object-format=${objectFormat}`);
  }
  row.arrange(repository);
  const workspace = join(repository.top, row.workspace ?? "");
  mkdirSync(workspace, { recursive: true });
  return workspace;
}

for (const row of ROWS) {
  test(`\`takeStamp()\` ${row.name}`, async () => {
    const workspace = arrange(row);
    const { fingerprint } = await takeStamp(openGit(workspace), workspace, row.paths);
    expect(fingerprint).toBe(row.fingerprint);
  });
}

test("the table's fingerprints are the hashes of its lines", () => {
  expect(ROWS.map(({ fingerprint }) => fingerprint)).toEqual(ROWS.map(fingerprintOf));
});
