import { spawnSync } from "node:child_process";

const APT = ["-o", "DPkg::Lock::Timeout=120", "--yes", "--no-install-recommends"];

/**
 * Makes sure that these commands are here, each by the Debian packages it comes with, which root installs where one is
 * missing. Returns why not.
 */
export function findMissing(commands: Readonly<Record<string, readonly string[]>>): string | undefined {
  const missing = () => Object.keys(commands).filter((command) => Bun.which(command) === null);
  if (missing().length === 0) return undefined;
  if (process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    const packages = missing().flatMap((command) => commands[command] ?? []);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const install = (): number | null =>
      spawnSync("apt-get", ["install", ...APT, ...packages], { env, stdio: "ignore", timeout: 240_000 }).status;
    if (install() !== 0) {
      spawnSync("apt-get", ["update"], { env, stdio: "ignore", timeout: 120_000 });
      install();
    }
  }
  const left = missing();
  return left.length === 0 ? undefined : `${left.join(", ")} missing here, and not to be had from Debian as root`;
}
