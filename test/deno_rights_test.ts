import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { spawn, TOP } from "./support/binary.ts";
import { writeProject } from "./support/stored_project.ts";
import { environment, gitRepository, temporaryHome } from "./support/temp.ts";

const deno = join(TOP, `node_modules/deno/deno${process.platform === "win32" ? ".exe" : ""}`);

test.skipIf(!existsSync(deno))(
  "a right that Deno wasn't given is a reason or a lesser answer, never a bug",
  async () => {
    const { top } = gitRepository();
    writeProject(top, { main: { parentId: null, body: "## Decisions\n- JWT in a cookie\n" } });
    const given = ["--allow-env", "--allow-write", "--allow-run", "--allow-sys"];
    const hook = ["hook", "session-start"];
    const payload = JSON.stringify({ session_id: "one", cwd: top, hook_event_name: "SessionStart", source: "startup" });
    async function start(rights: readonly string[], args: readonly string[], stdin = "") {
      const command = [deno, "run", "--no-prompt", "--no-lock", ...rights, join(TOP, "src/main.ts"), ...args];
      return await spawn(command, { cwd: top, env: environment(temporaryHome(), {}), stdin });
    }
    // The system's list of processes asks for more than the right to read.
    const readable = await start([...given, "--allow-read"], hook, payload);
    expect(readable).toMatchObject({ code: 0, stderr: "" });
    expect(readable.stdout).toContain("JWT in a cookie");

    const other = await start([...given, `--allow-read=${TOP}`], ["context"]);
    expect(other.code).not.toBe(0);
    expect(`${other.stdout}${other.stderr}`).not.toContain("bug");
  },
);
