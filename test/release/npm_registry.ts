import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mainPackage, npmFileName, platformPackage, platformPackageName } from "../../build/release_npm.ts";
import { TARGET_NAMES } from "../../build/targets.ts";
import { releasedFile } from "./built.ts";

/** A registry for npm over loopback. */
export interface NpmRegistry {
  readonly url: string;
  /** names of the tarballs that were downloaded */
  readonly downloaded: readonly string[];
  close(): Promise<void>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Serves the release's npm packages; of a platform whose package wasn't built, what npm reads before it chooses. */
export function openNpmRegistry(): NpmRegistry {
  const nothing = new Uint8Array();
  const packages = [
    mainPackage(nothing, nothing),
    ...TARGET_NAMES.map((name) => platformPackage(name, nothing, nothing)),
  ];
  const manifests = packages.map(
    (entries): Manifest => JSON.parse(Buffer.from(entries[0]?.bytes ?? nothing).toString()),
  );
  const downloaded: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
      if (name.endsWith(".tgz")) {
        downloaded.push(name);
        return new Response(Bun.file(releasedFile(`npm/${name}`)));
      }
      const manifest = manifests.find((each) => each.name === name);
      if (manifest === undefined) return Response.json({ error: "not found" }, { status: 404 });
      const { version } = manifest;
      return Response.json({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: { ...manifest, dist: distribution(manifest) } },
      });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const distribution = ({ name }: Manifest): object => {
    const tarball = `${url}/${npmFileName(name)}`;
    const isBuilt = [platformPackageName("linux-x64"), "thread-mind-mcp"].includes(name);
    if (!isBuilt) return { tarball };
    const hash = createHash("sha512").update(readFileSync(releasedFile(`npm/${npmFileName(name)}`)));
    return { tarball, integrity: `sha512-${hash.digest("base64")}` };
  };
  return { url, downloaded, close: () => server.stop(true) };
}
