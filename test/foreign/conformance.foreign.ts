import { expect, test } from "bun:test";
import { spawn } from "../support/binary.ts";
import { writeProject } from "../support/stored_project.ts";
import { gitRepository, temporaryFolder } from "../support/temp.ts";
import { openBridge } from "./bridge.ts";
import { fileOfPackage } from "./packages.ts";

// The suite's other scenarios call tools, resources and prompts of a server made for it.
for (const scenario of ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"]) {
  test(`the official conformance suite's ${scenario} passes through an HTTP bridge`, async () => {
    const { top, env } = gitRepository();
    writeProject(top, { auth: {}, 日本: {} });
    const bridge = openBridge({ cwd: top, env });
    const results = temporaryFolder();
    const suite = fileOfPackage("@modelcontextprotocol/conformance/dist/index.js");
    const words = ["server", "--url", bridge.url, "--scenario", scenario, "-o", results];
    // With Bun, because the suite asks for a newer Node than the one that ThreadMind's developers need.
    const { stdout, stderr, code } = await spawn([process.execPath, suite, ...words], { cwd: results, env });
    await bridge.close();
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout).toMatch(/^Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings$/m);
    expect(await bridge.stderr()).toBe("");
  });
}
