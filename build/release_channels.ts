import { COMMANDS } from "../src/commands/registry.ts";
import { RELEASE } from "./release_description.ts";
import { archiveName, bundleName, platformOf, programName, TARGET_NAMES, type TargetName } from "./targets.ts";

/** SHA-256 sums in hexadecimal by file name. */
export type Sums = ReadonlyMap<string, string>;

/** Targets that have a bundle: Claude Desktop and its kin don't run where musl does. */
export const BUNDLE_TARGETS = TARGET_NAMES.filter((target) => !platformOf(target).isMusl);

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function sumOf(sums: Sums, file: string): string {
  const sum = sums.get(file);
  if (sum === undefined) throw new Error(`Cannot render the channels: the release has no ${file}`);
  return sum;
}

/** The Homebrew formula, for a tap. */
export function renderFormula(sums: Sums): string {
  const source = (target: TargetName, condition: string): string => `    ${condition} do
      url "${RELEASE.downloads}/${archiveName(target)}"
      sha256 "${sumOf(sums, archiveName(target))}"
    end`;
  return `class Threadmind < Formula
  desc "${RELEASE.summary.replace(/^An? /, "").replace(/^./, (letter) => letter.toUpperCase())}"
  homepage "${RELEASE.repository}"
  version "${RELEASE.version}"
  license "${RELEASE.license}"

  on_macos do
${source("darwin-arm64", "on_arm")}
${source("darwin-x64", "on_intel")}
  end

  on_linux do
${source("linux-arm64", "on_arm")}
${source("linux-x64", "on_intel")}
  end

  def install
    bin.install "threadmind"
    generate_completions_from_executable(bin/"threadmind", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/threadmind --version")
  end
end
`;
}

/** The Scoop manifest, for a bucket. */
export function renderScoop(sums: Sums): string {
  const source = (target: TargetName): object => ({
    url: `${RELEASE.downloads}/${archiveName(target)}`,
    hash: sumOf(sums, archiveName(target)),
    extract_dir: `threadmind-${target}`,
  });
  const next = (target: TargetName): object => ({
    url: `${RELEASE.repository}/releases/download/v$version/${archiveName(target)}`,
  });
  return json({
    version: RELEASE.version,
    description: RELEASE.description,
    homepage: RELEASE.repository,
    license: RELEASE.license,
    architecture: { "64bit": source("windows-x64"), arm64: source("windows-arm64") },
    bin: programName("windows-x64"),
    checkver: "github",
    autoupdate: {
      architecture: { "64bit": next("windows-x64"), arm64: next("windows-arm64") },
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  });
}

/** The manifest of a target's bundle for Claude Desktop (MCPB 0.4). */
export function renderBundleManifest(target: TargetName): string {
  const { os } = platformOf(target);
  const entry = `server/${programName(target)}`;
  return json({
    manifest_version: "0.4",
    name: RELEASE.packageName,
    display_name: RELEASE.title,
    version: RELEASE.version,
    description: RELEASE.description,
    author: { name: RELEASE.author, url: RELEASE.repository },
    repository: { type: "git", url: RELEASE.repository },
    homepage: RELEASE.repository,
    documentation: `${RELEASE.repository}#readme`,
    support: `${RELEASE.repository}/issues`,
    license: RELEASE.license,
    keywords: RELEASE.keywords,
    server: {
      type: "binary",
      entry_point: entry,
      mcp_config: {
        command: `\${__dirname}/${entry}`,
        args: ["serve"],
        env: { THREADMIND_ROOT: `\${user_config.root}` },
      },
    },
    tools: COMMANDS.map(({ name, description }) => ({ name, description })),
    compatibility: { platforms: [os === "windows" ? "win32" : os] },
    user_config: {
      root: {
        type: "directory",
        title: "Project folder",
        description: "The repository whose threads this server keeps",
        required: true,
      },
    },
  });
}

/** The entry of the MCP Registry. */
export function renderServer(sums: Sums): string {
  const transport = { type: "stdio" };
  const root = (isRequired: boolean): object => ({
    name: "THREADMIND_ROOT",
    description:
      "The project folder: the repository whose threads the server keeps, for clients that start servers elsewhere",
    format: "filepath",
    isRequired,
  });
  const bundles = BUNDLE_TARGETS.map((target) => ({
    registryType: "mcpb",
    identifier: `${RELEASE.downloads}/${bundleName(target)}`,
    version: RELEASE.version,
    fileSha256: sumOf(sums, bundleName(target)),
    transport,
    // A bundle's server starts in no project: its manifest asks for the folder too.
    environmentVariables: [root(true)],
  }));
  return json({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: RELEASE.registryName,
    title: RELEASE.title,
    description: RELEASE.summary,
    version: RELEASE.version,
    repository: { url: RELEASE.repository, source: RELEASE.forge },
    websiteUrl: RELEASE.repository,
    packages: [
      {
        registryType: "npm",
        identifier: RELEASE.packageName,
        version: RELEASE.version,
        transport,
        environmentVariables: [root(false)],
      },
      ...bundles,
    ],
  });
}
