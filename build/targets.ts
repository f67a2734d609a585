/** What is compiled for others, from any machine: Bun's name of the platform by ours, which files of a release carry too. */
export const TARGETS = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "darwin-x64": "bun-darwin-x64",
  "darwin-arm64": "bun-darwin-arm64",
  "windows-x64": "bun-windows-x64",
  "windows-arm64": "bun-windows-arm64",
} as const satisfies Record<string, Bun.Build.CompileTarget>;

/** A name in `TARGETS`. */
export type TargetName = keyof typeof TARGETS;

/** Every target, in the order in which a release lists them. */
export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[];

/** What a target's name says. */
export interface Platform {
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "x64" | "arm64";
  readonly isMusl: boolean;
}

/** Takes a target's name apart. */
export function platformOf(target: TargetName): Platform {
  const [os, arch, libc] = target.split("-");
  return { os: os as Platform["os"], arch: arch as Platform["arch"], isMusl: libc === "musl" };
}

/** Whether a word is a target's name. */
export function isTargetName(word: string): word is TargetName {
  return Object.hasOwn(TARGETS, word);
}

/** The target's program as a file: `threadmind`, on Windows with `.exe`. */
export function programName(target: TargetName): string {
  return platformOf(target).os === "windows" ? "threadmind.exe" : "threadmind";
}

/** The target's archive in a release. */
export function archiveName(target: TargetName): string {
  return `threadmind-${target}.${platformOf(target).os === "windows" ? "zip" : "tar.gz"}`;
}

/** The target's bundle for Claude Desktop in a release. */
export function bundleName(target: TargetName): string {
  return `threadmind-${target}.mcpb`;
}
