import { join } from "node:path";
import process from "node:process";
import type { Finding, FindingCode } from "../core/finding.ts";
import { putBlock } from "../core/marked_block.ts";
import { groupDigits } from "../core/tokens.ts";
import { ThreadMindError } from "../errors.ts";
import { findOnPath, findSameOnPath, runClient } from "../io/client_process.ts";
import { readConfig } from "../io/config.ts";
import { kindOf, listFolder } from "../io/files.ts";
import { prefixOf } from "../io/fingerprint.ts";
import { type Layout, shownPath } from "../io/layout.ts";
import { readRootFile } from "../io/root_files.ts";
import type { Place } from "../io/scene.ts";
import { DATA_FOLDER } from "../io/workspace.ts";
import { driverCommand } from "./merge_driver.ts";
import { findDoubles, findPlugin } from "./setup/claude_doubles.ts";
import { isCompiled, PROGRAM } from "./setup/program.ts";

/** What a hook did when it was run, against what its client allows. */
export interface HookRun {
  readonly event: string;
  readonly ms: number;
  readonly characters: number;
}

const MOST_SHOWN = 10_000;
const END_BUDGET_MS = 1500;
const SLOW_START_MS = 1000;

function finding(
  code: FindingCode,
  severity: Finding["severity"],
  message: string,
  remedy: string,
  file?: string,
): Finding {
  return { code, severity, file, line: undefined, message, remedy };
}

/** What was set aside in this checkout because it could not be read. */
export function inspectCheckout(layout: Layout): readonly Finding[] {
  const aside = (listFolder(layout.local) ?? []).filter(({ name }) => name.startsWith("config.json.unreadable"));
  return aside.map(({ name }) =>
    finding(
      "leftover",
      "note",
      "It was set aside because it could not be read.",
      "Look at it, then remove it",
      shownPath(layout, join(layout.local, name)),
    ),
  );
}

/** What git does with the threads: ignores them, or merges them line by line. */
export async function inspectGit({ git, workspace, store }: Place): Promise<readonly Finding[]> {
  if (git === undefined) return [];
  const threads = `${prefixOf(git, workspace.root)}${DATA_FOLDER}/threads/any/thread.md`;
  const [ignored, driver] = await Promise.all([git.ignored([threads]), git.setting("merge.threadmind.driver")]);
  const findings: Finding[] = [];
  if (ignored?.has(threads) === true) {
    const message = "git ignores the threads, so they are neither committed nor reviewed.";
    findings.push(
      finding("ignored-by-git", "warning", message, `git check-ignore -v ${DATA_FOLDER}/threads/x names the rule`),
    );
  }
  const isMeant = kindOf(join(store.layout.data, ".gitattributes")) !== undefined;
  if (driver === undefined && isMeant) {
    const message = "The merge driver isn't registered in this clone: git merges threads line by line.";
    findings.push(finding("no-merge-driver", "note", message, "threadmind resolve --install"));
  } else if (driver !== undefined && isCompiled() && driver !== driverCommand()) {
    const message = `The merge driver registered in this clone is another program: ${driver}`;
    findings.push(finding("no-merge-driver", "warning", message, "threadmind resolve --install"));
  }
  return findings;
}

/** The block in AGENTS.md, and whether Claude Code reads it. */
export function inspectAgentsFile({ workspace: { root } }: Place): readonly Finding[] {
  const read = (name: string): string | undefined => {
    try {
      return readRootFile(root, name);
    } catch (error) {
      if (error instanceof ThreadMindError) return undefined;
      throw error;
    }
  };
  const [agents, claude] = [read("AGENTS.md"), read("CLAUDE.md")];
  if (agents === undefined) return [];
  const edit = putBlock(agents, "x");
  if ("fault" in edit)
    return [
      finding(
        "agents-block",
        "warning",
        `ThreadMind's block can't be told: ${edit.fault}.`,
        "Mend its marker lines",
        "AGENTS.md",
      ),
    ];
  const isOurs = agents.includes("<!-- threadmind:start -->");
  const isRead = claude === undefined || /^@AGENTS\.md\s*$/m.test(claude);
  if (!isOurs || isRead) return [];
  const message = "Claude Code reads this file and not AGENTS.md, where ThreadMind's block is.";
  return [finding("agents-block", "note", message, "Add the line @AGENTS.md", "CLAUDE.md")];
}

/** Whether the hooks of the plugin would find this program, and whether Claude Code starts it twice. */
export function inspectClients({ workspace: { root } }: Place): readonly Finding[] {
  const claude = { isProject: false, root: () => root };
  const registered = findDoubles(claude);
  const hasPlugin = findPlugin(claude) !== undefined;
  // A server and hooks registered once each, without the plugin, are none too many.
  const doubles = Object.values(Object.groupBy(registered, (line) => String(line.includes("runs the hooks")))).flatMap(
    (lines = []) => (hasPlugin || lines.length > 1 ? lines : []),
  );
  const findings = doubles.map((line) => {
    const [message = line, remedy = ""] = line.split(/: (?=claude mcp|threadmind setup)/);
    return finding("double-registration", "warning", `${message}.`, remedy);
  });
  if (!isCompiled()) return findings;
  const found = findOnPath(PROGRAM);
  if (found === undefined) {
    const message = "No program threadmind is on PATH: the hooks of the Claude Code plugin can't start it.";
    return [...findings, finding("not-on-path", "warning", message, `Add the folder of ${process.execPath} to PATH`)];
  }
  if (findSameOnPath(PROGRAM, process.execPath) !== undefined) return findings;
  const message = `PATH finds another threadmind first, ${found}; this one is ${process.execPath}.`;
  return [...findings, finding("not-on-path", "warning", message, "Remove the one that isn't wanted")];
}

/** Runs both hooks as a client does, writing nothing. */
export async function runHooks({ workspace: { root }, store }: Place): Promise<readonly HookRun[]> {
  if (!isCompiled()) return [];
  const transcript = readConfig(store.layout)
    .sessions.flatMap((session) => session.transcript ?? [])
    .findLast((path) => kindOf(path) === "file");
  const payloads: Readonly<Record<string, object>> = {
    "session-start": { cwd: root, source: "startup" },
    "session-end": { cwd: root, session_id: "doctor", transcript_path: transcript },
  };
  const runs: HookRun[] = [];
  for (const [event, payload] of Object.entries(payloads)) {
    const started = performance.now();
    const args = ["--root", root, "hook", event, "--dry-run"];
    const { stdout } = await runClient(process.execPath, args, JSON.stringify(payload));
    const ms = Math.round(performance.now() - started);
    runs.push({ event, ms, characters: stdout.trimEnd().length });
  }
  return runs;
}

/** What is wrong with how long a hook took, or how much it said. */
export function judgeHooks(runs: readonly HookRun[]): readonly Finding[] {
  return runs.flatMap(({ event, ms, characters }) => {
    const findings: Finding[] = [];
    if (characters > MOST_SHOWN) {
      const message = `The ${event} hook says ${groupDigits(characters)} characters; Claude Code shows none of more than ${groupDigits(MOST_SHOWN)}.`;
      findings.push(finding("long-context", "error", message, "Report it: it should be cut"));
    }
    const limit = event === "session-end" ? END_BUDGET_MS : SLOW_START_MS;
    if (ms > limit) {
      const message = `The ${event} hook took ${groupDigits(ms)} ms${event === "session-end" ? "; Claude Code ends it after 1,500 ms" : ", which delays each start of a session"}.`;
      findings.push(
        finding(
          "slow-hook",
          "warning",
          message,
          "Run it again on a quiet machine; a slow disk or git may be the reason",
        ),
      );
    }
    return findings;
  });
}
