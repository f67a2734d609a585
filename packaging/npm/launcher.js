#!/usr/bin/env node
// Starts the program that npm installed for this platform, in the place of this process as far as Node lets one.

const { execFileSync, spawn } = require("node:child_process");
const { name, version, optionalDependencies } = require("../package.json");

const file = process.platform === "win32" ? "threadmind.exe" : "threadmind";

function isMusl() {
  // What it would find out of the network takes long, and nobody asks.
  process.report.excludeNetwork = true;
  const { header } = process.report.getReport();
  return header.glibcVersionRuntime === undefined;
}

/** Node under Rosetta calls itself x64: the program for Apple silicon is the better one, if it is there. */
function isTranslated() {
  try {
    return execFileSync("sysctl", ["-n", "sysctl.proc_translated"], { stdio: ["ignore", "pipe", "ignore"] })[0] === 49;
  } catch {
    return false;
  }
}

function platforms() {
  const own = `${process.platform}-${process.arch}`;
  if (process.platform === "linux") return isMusl() ? [`${own}-musl`] : [own];
  return own === "darwin-x64" && isTranslated() ? ["darwin-arm64", own] : [own];
}

function findProgram() {
  for (const platform of platforms()) {
    try {
      return require.resolve(`${name}-${platform}/bin/${file}`);
    } catch {
      // The next one, or the message below.
    }
  }
  return undefined;
}

const program = findProgram();
if (program === undefined) {
  const [platform] = platforms();
  const wanted = `${name}-${platform}`;
  const there = Object.keys(optionalDependencies).map((each) => each.slice(name.length + 1));
  process.stderr.write(
    wanted in optionalDependencies
      ? `threadmind: Cannot start: the package ${wanted} is not installed\n` +
          `Install again without --omit=optional or --no-optional: npm install ${name}@${version}\n`
      : `threadmind: Cannot start: there is no program for ${platform}\nThere are: ${there.join(", ")}\n`,
  );
  process.exitCode = 1;
} else {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`threadmind: Cannot start ${program}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
    } else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}
