import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Entry, type Level, renderTarGz, renderZip } from "./archive.ts";
import { compile } from "./compile.ts";
import { checkExecutable } from "./executable.ts";
import { BUNDLE_TARGETS, renderBundleManifest, renderFormula, renderScoop, renderServer } from "./release_channels.ts";
import { RELEASE } from "./release_description.ts";
import { mainPackage, npmFileName, platformPackage, platformPackageName } from "./release_npm.ts";
import { archiveName, bundleName, isTargetName, programName, TARGET_NAMES, type TargetName } from "./targets.ts";

const top = join(import.meta.dir, "..");
const INSTALLERS = ["install.sh", "install.ps1"];

/** How a release is made: `programs` holds a folder for each target; what isn't there is compiled into it. */
export interface ReleaseOptions {
  readonly programs: string;
  readonly output: string;
  readonly targets: readonly TargetName[];
  readonly level: Level;
}

/**
 * Writes a release's files: archives, bundles, installers and SHA256SUMS; npm's packages in `npm/`; and what the other
 * channels take, in `channels/`, if all targets are released.
 */
export async function release({ programs, output, targets, level }: ReleaseOptions): Promise<void> {
  rmSync(output, { recursive: true, force: true });
  for (const folder of ["npm", "channels"]) mkdirSync(join(output, folder), { recursive: true });
  const [readme, license] = ["README.md", "LICENSE"].map((name) => readFileSync(join(top, name))) as [Buffer, Buffer];
  const sums = new Map<string, string>();
  const write = (name: string, bytes: Uint8Array): void => {
    writeFileSync(join(output, name), bytes);
    sums.set(name, createHash("sha256").update(bytes).digest("hex"));
    console.log(`${name}  ${(bytes.length / 1e6).toFixed(1)} MB`);
  };
  for (const target of targets) {
    const file = join(programs, target, programName(target));
    if (!existsSync(file)) await compile(target, programs);
    const program = readFileSync(file);
    checkExecutable(target, program);
    const entries = [
      { path: `threadmind-${target}/${programName(target)}`, bytes: program, isExecutable: true },
      { path: `threadmind-${target}/LICENSE`, bytes: license },
      { path: `threadmind-${target}/README.md`, bytes: readme },
    ];
    const isZip = archiveName(target).endsWith(".zip");
    write(archiveName(target), (isZip ? renderZip : renderTarGz)(entries, level));
    if (BUNDLE_TARGETS.includes(target)) write(bundleName(target), renderZip(bundle(target, program, license), level));
    const packed = renderTarGz(platformPackage(target, program, license), level);
    writeFileSync(join(output, "npm", npmFileName(platformPackageName(target))), packed);
  }
  for (const name of INSTALLERS) write(name, readFileSync(join(top, name)));
  writeFileSync(
    join(output, "npm", npmFileName(RELEASE.packageName)),
    renderTarGz(mainPackage(readme, license), level),
  );
  if (TARGET_NAMES.every((target) => targets.includes(target))) {
    writeFileSync(join(output, "channels/threadmind.rb"), renderFormula(sums));
    writeFileSync(join(output, "channels/threadmind.json"), renderScoop(sums));
    writeFileSync(join(output, "channels/server.json"), renderServer(sums));
  }
  const lines = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `${sum}  ${name}\n`);
  writeFileSync(join(output, "SHA256SUMS"), lines.join(""));
}

function bundle(target: TargetName, program: Uint8Array, license: Uint8Array): readonly Entry[] {
  return [
    { path: "manifest.json", bytes: Buffer.from(renderBundleManifest(target)) },
    { path: "LICENSE", bytes: license },
    { path: `server/${programName(target)}`, bytes: program, isExecutable: true },
  ];
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { output: { type: "string" }, programs: { type: "string" }, fast: { type: "boolean" } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !isTargetName(name));
  if (unknown.length > 0) {
    console.error(`Cannot release ${unknown.join(", ")}: the targets are ${TARGET_NAMES.join(", ")}`);
    process.exit(2);
  }
  await release({
    programs: resolve(values.programs ?? join(top, "dist/release/programs")),
    output: resolve(values.output ?? join(top, "dist/release/files")),
    targets: positionals.length === 0 ? TARGET_NAMES : positionals.filter(isTargetName),
    level: values.fast === true ? 1 : 9,
  });
}
