import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "./archive.ts";
import { RELEASE } from "./release_description.ts";
import { platformOf, programName, TARGET_NAMES, type TargetName } from "./targets.ts";

/** Node's name of a target, which npm's packages carry. */
function nodeName(target: TargetName): string {
  return target.replace("windows", "win32");
}

/** The npm package that holds a target's program. */
export function platformPackageName(target: TargetName): string {
  return `${RELEASE.packageName}-${nodeName(target)}`;
}

/** The file that `npm publish` and `npm install` take for a package of this release. */
export function npmFileName(name: string): string {
  return `${name}-${RELEASE.version}.tgz`;
}

function packageJson(name: string, description: string, rest: object): Entry {
  const manifest = {
    name,
    version: RELEASE.version,
    description,
    license: RELEASE.license,
    homepage: RELEASE.repository,
    repository: { type: "git", url: `git+${RELEASE.repository}.git` },
    ...rest,
  };
  return { path: "package/package.json", bytes: Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`) };
}

/** The files of the package that npm installs on one platform only: the program, and what must go with it. */
export function platformPackage(target: TargetName, program: Uint8Array, license: Uint8Array): readonly Entry[] {
  const { os, arch, isMusl } = platformOf(target);
  const conditions = {
    os: [os === "windows" ? "win32" : os],
    cpu: [arch],
    ...(os === "linux" ? { libc: [isMusl ? "musl" : "glibc"] } : {}),
  };
  return [
    packageJson(platformPackageName(target), `${RELEASE.title} for ${nodeName(target)}`, {
      ...conditions,
      preferUnplugged: true,
    }),
    { path: "package/LICENSE", bytes: license },
    { path: `package/bin/${programName(target)}`, bytes: program, isExecutable: true },
  ];
}

/** The files of the package that people install: a launcher, and each platform's package as an optional dependency. */
export function mainPackage(readme: Uint8Array, license: Uint8Array): readonly Entry[] {
  const launcher = "bin/launcher.js";
  return [
    packageJson(RELEASE.packageName, RELEASE.description, {
      mcpName: RELEASE.registryName,
      keywords: RELEASE.keywords,
      type: "commonjs",
      engines: { node: ">=18" },
      bin: { [RELEASE.program]: launcher, [RELEASE.packageName]: launcher },
      optionalDependencies: Object.fromEntries(
        TARGET_NAMES.map((target) => [platformPackageName(target), RELEASE.version]),
      ),
    }),
    { path: "package/README.md", bytes: readme },
    { path: "package/LICENSE", bytes: license },
    {
      path: `package/${launcher}`,
      bytes: readFileSync(join(import.meta.dir, "../packaging/npm/launcher.js")),
      isExecutable: true,
    },
  ];
}
