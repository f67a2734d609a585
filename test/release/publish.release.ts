import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { renderTarGz } from "../../build/archive.ts";
import { type Result, spawn, TOP } from "../support/binary.ts";
import { environment, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { testUnless } from "./built.ts";

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const release = parse(readFileSync(join(TOP, ".github/workflows/release.yml"), "utf8")) as Workflow;
const script = release.jobs.npm?.steps.find(({ run }) => run?.includes("npm publish"))?.run ?? "";

/** What npm sends to publish, as far as these tests look at it. */
interface Document {
  readonly name: string;
  readonly "dist-tags": Record<string, string>;
  readonly versions: Record<string, object>;
}

/** How a registry answers when a package is published, and whether it keeps it nevertheless. */
type Answer = (name: string) => { readonly status: number; readonly isTaken: boolean };

/** A registry that takes packages, and the workflow's step that publishes to it. */
interface Registry {
  readonly taken: readonly string[];
  readonly tags: Readonly<Record<string, Record<string, string>>>;
  publish(version: string): Promise<Result>;
}

function openRegistry(answer: Answer = () => ({ status: 201, isTaken: true })): Registry {
  const documents = new Map<string, Document>();
  const taken: string[] = [];
  const tags: Record<string, Record<string, string>> = {};
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
      const known = documents.get(name);
      if (request.method !== "PUT")
        return known === undefined ? Response.json({ error: "Not found" }, { status: 404 }) : Response.json(known);
      const document = (await request.json()) as Document;
      const [added = ""] = Object.keys(document.versions);
      if (known?.versions[added] !== undefined) return Response.json({ error: "Cannot publish over" }, { status: 403 });
      const { status, isTaken } = answer(name);
      if (isTaken) {
        taken.push(name);
        tags[name] = { ...tags[name], ...document["dist-tags"] };
        documents.set(name, { ...document, versions: { ...known?.versions, ...document.versions } });
      }
      return Response.json({}, { status });
    },
  });
  return {
    ...{ taken, tags },
    async publish(version) {
      const [home, cwd, bin] = [temporaryHome(), temporaryFolder("packages"), temporaryFolder("bin")];
      for (const name of NAMES) {
        const manifest = Buffer.from(JSON.stringify({ name, version }));
        writeFileSync(
          join(cwd, `${name}-${version}.tgz`),
          renderTarGz([{ path: "package/package.json", bytes: manifest }], 1),
        );
      }
      writeFileSync(join(home, ".npmrc"), `//127.0.0.1:${server.port}/:_authToken=test\n`);
      writeFileSync(join(bin, "sleep"), "#!/bin/sh\n", { mode: 0o755 });
      const env = environment(home, {
        TAG: `v${version}`,
        PATH: `${bin}:${process.env.PATH}`,
        npm_config_registry: `http://127.0.0.1:${server.port}`,
        npm_config_cache: join(home, "cache"),
        npm_config_update_notifier: "false",
        npm_config_fetch_retries: "0",
      });
      mkdirSync(join(home, "cache"));
      return await spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd, env });
    },
  };
}

const [MAIN, ...PLATFORMS] = ["thread-mind-mcp", "thread-mind-mcp-darwin-arm64", "thread-mind-mcp-linux-x64"] as const;
const NAMES = [MAIN, ...PLATFORMS];

const each = testUnless(Bun.which("npm") === null ? "there is no npm" : undefined, "publishing to npm");

each("npm's packages are published, the one that names the others last", async () => {
  const registry = openRegistry();
  const { code, stderr } = await registry.publish("1.0.0");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(registry.taken).toEqual([...PLATFORMS, MAIN]);
  const candidate = await registry.publish("1.1.0-rc.1");
  expect({ code: candidate.code, tags: registry.tags[MAIN] }).toEqual({
    code: 0,
    tags: { latest: "1.0.0", next: "1.1.0-rc.1" },
  });
});

each("publishing again goes on where it stopped", async () => {
  let isDown = true;
  const registry = openRegistry((name) =>
    isDown && name !== PLATFORMS[0] ? { status: 503, isTaken: false } : { status: 201, isTaken: true },
  );
  expect((await registry.publish("1.0.0")).code).toBe(1);
  expect(registry.taken).toEqual([PLATFORMS[0]]);
  isDown = false;
  const again = await registry.publish("1.0.0");
  expect({ code: again.code, taken: registry.taken }).toEqual({ code: 0, taken: [...PLATFORMS, MAIN] });
  expect(again.stdout).toContain(`${PLATFORMS[0]} 1.0.0 is there\n`);
});

each("a registry that fails now and then, or has taken what it says it has not, is asked again", async () => {
  const asked = new Map<string, number>();
  const registry = openRegistry((name) => {
    const times = (asked.get(name) ?? 0) + 1;
    asked.set(name, times);
    if (name === MAIN) return { status: 500, isTaken: true };
    return times < 3 ? { status: 503, isTaken: false } : { status: 201, isTaken: true };
  });
  const { code } = await registry.publish("1.0.0");
  expect({ code, taken: registry.taken }).toEqual({ code: 0, taken: [...PLATFORMS, MAIN] });
});
