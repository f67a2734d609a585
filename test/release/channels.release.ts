import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { windowsVersion } from "../../build/compile.ts";
import {
  BUNDLE_TARGETS,
  renderBundleManifest,
  renderFormula,
  renderScoop,
  renderServer,
} from "../../build/release_channels.ts";
import { findContradictions } from "../../build/release_check.ts";
import { RELEASE } from "../../build/release_description.ts";
import { mainPackage, platformPackage } from "../../build/release_npm.ts";
import { smoke } from "../../build/smoke.ts";
import { archiveName, bundleName, platformOf, TARGET_NAMES } from "../../build/targets.ts";
import { spawn, TOP } from "../support/binary.ts";
import { environment, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { LONG, releasedFile, TOOLS, testUnless } from "./built.ts";

const env = environment(temporaryHome());
const isHere = process.platform === "linux" && process.arch === "x64";

async function run(cwd: string, ...command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await spawn(command, { cwd, env });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

const names = [...TARGET_NAMES.map(archiveName), ...BUNDLE_TARGETS.map(bundleName)];
const sums = new Map(names.map((name) => [name, createHash("sha256").update(name).digest("hex")]));

testUnless(isHere ? undefined : "the program is for Linux on x64", "unpacking linux-x64")(
  "the archive unpacks into one folder, with a program that runs, README and LICENSE",
  async () => {
    const cwd = temporaryFolder("unpacked");
    await run(cwd, "tar", "-xzf", releasedFile("linux-x64"));
    expect(readdirSync(cwd)).toEqual(["threadmind-linux-x64"]);
    const folder = join(cwd, "threadmind-linux-x64");
    expect(readdirSync(folder).sort()).toEqual(["LICENSE", "README.md", "threadmind"]);
    expect(readFileSync(join(folder, "README.md"))).toEqual(readFileSync(join(TOP, "README.md")));
    expect(statSync(join(folder, "threadmind")).mode & 0o777).toBe(0o755);
    expect(await smoke([join(folder, "threadmind")])).toContain("context: ok");
  },
);

test("the zip archive unpacks with what systems have", async () => {
  const cwd = temporaryFolder("unpacked");
  const tool = Bun.which("unzip") ?? Bun.which("busybox");
  if (tool === null) return console.log("SKIPPED: unpacking a zip archive: neither unzip nor busybox is here");
  await run(cwd, tool, ...(tool.endsWith("busybox") ? ["unzip"] : []), "-q", releasedFile("windows-x64"));
  expect(readdirSync(join(cwd, "threadmind-windows-x64")).sort()).toEqual(["LICENSE", "README.md", "threadmind.exe"]);
});

test("SHA256SUMS is right, and sha256sum can read it", async () => {
  const folder = join(releasedFile("SHA256SUMS"), "..");
  const lines = readFileSync(releasedFile("SHA256SUMS"), "utf8").trimEnd().split("\n");
  const listed = lines.map((line) => /^[0-9a-f]{64} {2}(.+)$/.exec(line)?.[1]);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(listed).toEqual(
    files
      .map(({ name }) => name)
      .filter((name) => name !== "SHA256SUMS")
      .sort(),
  );
  if (Bun.which("sha256sum") !== null) await run(folder, "sha256sum", "--check", "--quiet", "SHA256SUMS");
});

const mcpb = (cwd: string, ...args: readonly string[]): Promise<string> =>
  run(cwd, "node", join(TOOLS, "@anthropic-ai/mcpb/dist/cli/cli.js"), ...args);

test("Anthropic's own tool finds every bundle's manifest valid", async () => {
  for (const target of BUNDLE_TARGETS) {
    const cwd = temporaryFolder("manifest");
    writeFileSync(join(cwd, "manifest.json"), renderBundleManifest(target));
    expect(await mcpb(cwd, "validate", "manifest.json")).toContain("Manifest schema validation passes!");
  }
});

testUnless(isHere ? undefined : "the program is for Linux on x64", "the bundle for linux-x64")(
  "Anthropic's own tool unpacks our bundle and packs it again, and its program serves as the manifest says",
  async () => {
    const cwd = temporaryFolder("bundle");
    await mcpb(cwd, "unpack", releasedFile("threadmind-linux-x64.mcpb"), "unpacked");
    const { server } = JSON.parse(readFileSync(join(cwd, "unpacked/manifest.json"), "utf8"));
    const program = server.mcp_config.command.replace(`\${__dirname}`, join(cwd, "unpacked"));
    expect(program).toBe(join(cwd, "unpacked", server.entry_point));
    chmodSync(program, 0o755);
    expect(await smoke([program])).toContain("initialize: ok");
    if (!LONG) return;
    expect(await mcpb(cwd, "pack", "unpacked", "again.mcpb")).toContain("again.mcpb");
    expect(await mcpb(cwd, "info", "again.mcpb")).toContain("again.mcpb");
  },
);

test("the MCP Registry's entry has what its schema of 2025-12-11 asks for", () => {
  // By structure: the schema itself is only to be had online.
  const server = JSON.parse(renderServer(sums));
  expect(server.$schema).toEndWith("/schemas/2025-12-11/server.schema.json");
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.name).toBe("io.github.mahmoud-nb/thread-mind-mcp");
  for (const text of [server.title, server.description]) expect(text.length).toBeWithin(1, 101);
  expect(server.version).toBe(RELEASE.version);
  expect(server.repository).toEqual({ url: RELEASE.repository, source: "github" });
  expect(server.packages).toHaveLength(1 + BUNDLE_TARGETS.length);
  for (const { registryType, identifier, version, transport, fileSha256, environmentVariables } of server.packages) {
    // Where a bundle asks for the project folder, so does its entry.
    expect(environmentVariables).toEqual([
      expect.objectContaining({ name: "THREADMIND_ROOT", isRequired: registryType === "mcpb" }),
    ]);
    expect({ version, transport }).toEqual({ version: RELEASE.version, transport: { type: "stdio" } });
    expect(identifier).toContain("mcp");
    if (registryType === "mcpb") expect(fileSha256).toBe(sums.get(identifier.slice(RELEASE.downloads.length + 1)));
    else expect({ registryType, identifier }).toEqual({ registryType: "npm", identifier: "thread-mind-mcp" });
  }
  const main = JSON.parse(Buffer.from(mainPackage(new Uint8Array(), new Uint8Array())[0]?.bytes ?? "").toString());
  expect(main.mcpName).toBe(server.name);
});

test("the npm packages are chosen by system, processor and C library", () => {
  const manifests = TARGET_NAMES.map((target) => {
    const [manifest] = platformPackage(target, new Uint8Array(), new Uint8Array());
    return JSON.parse(Buffer.from(manifest?.bytes ?? "").toString());
  });
  expect(manifests.map(({ name, os, cpu, libc }) => [name, os, cpu, libc].flat().join(" ").trim())).toEqual([
    "thread-mind-mcp-linux-x64 linux x64 glibc",
    "thread-mind-mcp-linux-arm64 linux arm64 glibc",
    "thread-mind-mcp-linux-x64-musl linux x64 musl",
    "thread-mind-mcp-linux-arm64-musl linux arm64 musl",
    "thread-mind-mcp-darwin-x64 darwin x64",
    "thread-mind-mcp-darwin-arm64 darwin arm64",
    "thread-mind-mcp-win32-x64 win32 x64",
    "thread-mind-mcp-win32-arm64 win32 arm64",
  ]);
});

test("the Homebrew formula names a file with its checksum for each of its four platforms", async () => {
  const formula = renderFormula(sums);
  const files = [...formula.matchAll(/url "([^"]+)"\n\s+sha256 "([^"]+)"/g)].map(([, url = "", sum]) => [url, sum]);
  expect(files).toEqual(
    (["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"] as const).map((target) => [
      `${RELEASE.downloads}/${archiveName(target)}`,
      sums.get(archiveName(target)),
    ]),
  );
  expect(/desc "(.*)"/.exec(formula)?.[1]).toMatch(/^(?!An? )[A-Z].{1,78}[^.]$/);
  const ruby = Bun.which("ruby");
  if (ruby === null) return console.log("SKIPPED: the formula's syntax: there is no ruby");
  const file = join(temporaryFolder("formula"), "threadmind.rb");
  writeFileSync(file, formula);
  expect(await run(TOP, ruby, "-c", file)).toBe("Syntax OK\n");
});

test("the Scoop manifest names both Windows archives and how the next version is found", () => {
  const scoop = JSON.parse(renderScoop(sums));
  for (const [name, target] of [
    ["64bit", "windows-x64"],
    ["arm64", "windows-arm64"],
  ] as const) {
    expect(scoop.architecture[name]).toEqual({
      url: `${RELEASE.downloads}/${archiveName(target)}`,
      hash: sums.get(archiveName(target)) ?? "",
      extract_dir: `threadmind-${target}`,
    });
    expect(scoop.autoupdate.architecture[name].url.replaceAll("$version", RELEASE.version)).toBe(
      scoop.architecture[name].url,
    );
  }
  expect(scoop.autoupdate.hash.url).toBe("$baseurl/SHA256SUMS");
});

test("a channel is never rendered without a file it names", () => {
  const less = new Map(
    [...sums].filter(([name]) => name !== archiveName("darwin-x64") && name !== bundleName("linux-x64")),
  );
  expect(() => renderFormula(less)).toThrow("the release has no threadmind-darwin-x64.tar.gz");
  expect(() => renderServer(less)).toThrow("the release has no threadmind-linux-x64.mcpb");
});

test("nothing in the checkout contradicts package.json", () => {
  expect(findContradictions(TOP)).toEqual([]);
});

test("another version, another address or a change log without the release is found", () => {
  const copy = temporaryFolder("contradictions");
  for (const path of [
    "package.json",
    "install.sh",
    "install.ps1",
    "README.md",
    "plugin/.claude-plugin",
    ".claude-plugin",
    "docs",
  ])
    if (existsSync(join(TOP, path))) cpSync(join(TOP, path), join(copy, path), { recursive: true });
  mkdirSync(join(copy, "plugin/.claude-plugin"), { recursive: true });
  writeFileSync(join(copy, "CHANGELOG.md"), `# Changelog\n\n## ${RELEASE.version}\n`);
  expect(findContradictions(copy, RELEASE.tag)).toEqual([]);
  const edit = (path: string, from: string, to: string): void =>
    writeFileSync(join(copy, path), readFileSync(join(copy, path), "utf8").replace(from, to));
  edit("plugin/.claude-plugin/plugin.json", RELEASE.version, "0.0.1");
  edit("install.sh", RELEASE.repository, "https://github.com/someone/fork");
  writeFileSync(join(copy, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n");
  expect(findContradictions(copy, "v9.9.9")).toEqual([
    `plugin/.claude-plugin/plugin.json has version 0.0.1, package.json ${RELEASE.version}`,
    `the tag has version 9.9.9, package.json ${RELEASE.version}`,
    `CHANGELOG.md begins with Unreleased, not ${RELEASE.version}`,
    `install.sh names https://github.com/someone/fork, package.json ${RELEASE.repository}`,
  ]);
});

test("a version that some channel can't take is found, and one before a release fits all", () => {
  const copy = temporaryFolder("versions");
  for (const version of ["1.2", "v1.2.3", "1.2.3+5", "1.2.3-", "1.2.3-rc_1"]) {
    writeFileSync(join(copy, "package.json"), JSON.stringify({ version }));
    mkdirSync(join(copy, "plugin/.claude-plugin"), { recursive: true });
    mkdirSync(join(copy, ".claude-plugin"), { recursive: true });
    for (const path of ["plugin/.claude-plugin/plugin.json", ".claude-plugin/marketplace.json"])
      writeFileSync(join(copy, path), "{}");
    expect(findContradictions(copy)).toContain(
      `package.json has version ${version}, which is neither 1.2.3 nor 1.2.3-rc.1`,
    );
  }
  writeFileSync(join(copy, "package.json"), '{"version":"1.2.3-rc.1"}');
  expect(findContradictions(copy).filter((found) => found.includes("neither"))).toEqual([]);
  expect([windowsVersion("1.2.3"), windowsVersion("1.2.3-rc.1")]).toEqual(["1.2.3.0", "1.2.3.0"]);
});

test("what a release needs of a target its name says", () => {
  expect(TARGET_NAMES.map((target) => Object.values(platformOf(target)).join(" "))).toEqual([
    "linux x64 false",
    "linux arm64 false",
    "linux x64 true",
    "linux arm64 true",
    "darwin x64 false",
    "darwin arm64 false",
    "windows x64 false",
    "windows arm64 false",
  ]);
});
