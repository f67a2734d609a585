import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderBundleManifest } from "./release_channels.ts";
import { RELEASE } from "./release_description.ts";
import { TARGET_NAMES } from "./targets.ts";

/** Files that name the repository's page, which nothing but package.json decides; they name no other of its host. */
const ADDRESSED = [
  ...["install.sh", "install.ps1", "README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs/install.md", "docs/releasing.md", "docs/guide/ci.md", "docs/fr/ci.md"],
];

const ADDRESS = new RegExp(`${new URL(RELEASE.repository).origin}/[\\w.-]+/[\\w.-]*\\w`, "g");

const SHORT = new URL(RELEASE.repository).pathname.slice(1);

/** owner/name, as commands and workflows write it, there with a tag. */
const SHORT_ADDRESS = new RegExp(`(?:--repo |uses: )([\\w.-]+/${SHORT.split("/")[1]})(?:@(v[\\w.-]+))?`, "g");

/** 1.2.3, or before it 1.2.3-rc.1: what npm, Scoop, Homebrew, bundles and file names all take as a version. */
const RELEASABLE = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;

/**
 * What contradicts package.json in a checkout, a sentence each: another version, another address, and for a release,
 * whose tag is given, a change log without it.
 */
export function findContradictions(top: string, tag?: string): readonly string[] {
  const read = (path: string): string => (existsSync(join(top, path)) ? readFileSync(join(top, path), "utf8") : "");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const versions: readonly (readonly [where: string, found: string | undefined])[] = [
    ["the program", RELEASE.version],
    ["plugin/.claude-plugin/plugin.json", versionIn(read("plugin/.claude-plugin/plugin.json"))],
    [".claude-plugin/marketplace.json", versionIn(read(".claude-plugin/marketplace.json"), version)],
    ["the bundle's manifest", versionIn(renderBundleManifest(TARGET_NAMES[0] ?? "linux-x64"))],
    ...(tag === undefined ? [] : [["the tag", tag.replace(/^v/, "")] as const]),
  ];
  const headings = [...read("CHANGELOG.md").matchAll(/^## \[?v?([^\s\]]+)/gm)].map(([, heading]) => heading);
  const wanted = tag === undefined ? [version, "Unreleased"] : [version];
  return [
    ...(RELEASABLE.test(version) ? [] : [`package.json has version ${version}, which is neither 1.2.3 nor 1.2.3-rc.1`]),
    ...versions
      .filter(([, found]) => found !== version)
      .map(([where, found]) => `${where} has version ${found}, package.json ${version}`),
    ...(wanted.includes(headings[0] ?? "")
      ? []
      : [`CHANGELOG.md begins with ${headings[0]}, not ${wanted.join(" or ")}`]),
    ...ADDRESSED.flatMap((path) =>
      [...read(path).matchAll(SHORT_ADDRESS)]
        .filter(([, address, tag]) => address !== SHORT || (tag ?? RELEASE.tag) !== `v${version}`)
        .map(([short]) => `${path} names ${short}, package.json ${SHORT} in version ${version}`),
    ),
    ...ADDRESSED.flatMap((path) =>
      [...read(path).matchAll(ADDRESS)]
        .map(([address]) => address.replace(/\.git$/, ""))
        .filter((address) => address !== RELEASE.repository)
        .map((address) => `${path} names ${address}, package.json ${RELEASE.repository}`),
    ),
  ];
}

function versionIn(manifest: string, absent?: string): string | undefined {
  const { version }: { version?: string } = JSON.parse(manifest);
  return version ?? absent;
}

if (import.meta.main) {
  const top = join(import.meta.dir, "..");
  const { values } = parseArgs({ options: { tag: { type: "string" }, write: { type: "boolean" } } });
  for (const path of values.write === true ? ADDRESSED.filter((each) => existsSync(join(top, each))) : []) {
    const text = readFileSync(join(top, path), "utf8");
    const short = (match: string, address: string): string => match.replace(address, SHORT);
    writeFileSync(join(top, path), text.replaceAll(ADDRESS, RELEASE.repository).replaceAll(SHORT_ADDRESS, short));
  }
  const findings = findContradictions(top, values.tag);
  for (const finding of findings) console.log(finding);
  process.exit(findings.length > 0 ? 1 : 0);
}
