import { afterEach, expect } from "bun:test";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TOP } from "../support/binary.ts";
import { writeProject } from "../support/stored_project.ts";
import { temporaryFolder } from "../support/temp.ts";
import {
  ALLOWED,
  CLAUDE,
  type Conversation,
  hooksIn,
  openClaudeMachine,
  openConversation,
  sessionsIn,
  toolName,
} from "./claude_code.ts";
import { DECISIONS, HEADINGS, type Machine, measuredIn, statsLine, testsOf, tokensSaid } from "./machine.ts";
import { callOf, countIn, type ModelRequest } from "./model_endpoint.ts";

const test = testsOf("Claude Code", CLAUDE !== undefined);
const PLUGIN = ["--plugin-dir", join(TOP, "plugin")] as const;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function machine(): Promise<Machine> {
  const opened = await openClaudeMachine();
  ends.push(() => opened.close());
  return opened;
}

function converse(on: Machine, ...options: readonly string[]): Conversation {
  const conversation = openConversation(on, ...PLUGIN, ...options, ...ALLOWED);
  ends.push(() => conversation.kill());
  return conversation;
}

/** The first request in which the model reads something that a person said. */
function requestWith({ endpoint }: Machine, said: string): ModelRequest {
  const found = endpoint.requests.find(({ text }) => text.includes(said));
  if (found === undefined) throw new Error(`No request holds ${said}: there were ${endpoint.requests.length}`);
  return found;
}

/** Waits for a text in the transcript of the only session: Claude Code writes it a little after it has said it. */
async function writtenTranscript(on: Machine, text: string): Promise<void> {
  const [{ transcript = "" } = {}] = measuredIn(on);
  const isWritten = (): boolean => existsSync(transcript) && readFileSync(transcript, "utf8").includes(text);
  for (let waited = 0; !isWritten() && waited < 20_000; waited += 50) await Bun.sleep(50);
  if (!isWritten()) throw new Error(`The transcript ${transcript} never held ${text}`);
}

const lastOf = ({ endpoint }: Machine): ModelRequest => endpoint.requests.at(-1) ?? { text: "", size: 0 };

test("Claude Code starts with the context, knows the server and its tools, and calls one", async () => {
  const on = await machine();
  const conversation = converse(on);
  await conversation.say("Good morning");
  const first = requestWith(on, "Good morning");
  expect(countIn(first.text, HEADINGS.auth)).toBe(1);
  for (const decision of [DECISIONS.main, DECISIONS.auth]) expect(first.text).toContain(decision);
  expect(first.text).toContain("ThreadMind is this repository's memory");
  for (const tool of ["context_get", "summary_update", "thread_switch"]) expect(first.text).toContain(toolName(tool));

  await conversation.say(callOf(toolName("context_get"), { threadId: "pay" }));
  expect(lastOf(on).text).toContain(DECISIONS.pay);
  expect(countIn(lastOf(on).text, HEADINGS.auth)).toBe(1);
  await conversation.leave();
  expect(hooksIn(conversation.told)).toEqual([["SessionStart:startup", expect.stringContaining(HEADINGS.auth)]]);
});

test("after /clear and compaction Claude Code has the thread that its session had switched to", async () => {
  const on = await machine();
  const conversation = converse(on);
  await conversation.say(callOf(toolName("thread_switch"), { threadId: "pay" }));
  const cleared = lastOf(on);
  // Elsewhere someone says where new sessions start; this one isn't new.
  await on.run("threadmind", "switch", "main");
  await conversation.say("/clear");
  await conversation.say("After clearing");
  const afterClear = requestWith(on, "After clearing");
  expect([countIn(afterClear.text, HEADINGS.pay), countIn(afterClear.text, HEADINGS.auth)]).toEqual([1, 0]);
  expect(afterClear.text).toContain(DECISIONS.pay);

  await conversation.say("/compact");
  await conversation.say("After compaction");
  const afterCompaction = requestWith(on, "After compaction");
  expect(afterCompaction.text).not.toContain("After clearing");
  expect([countIn(afterCompaction.text, HEADINGS.pay), countIn(afterCompaction.text, HEADINGS.auth)]).toEqual([1, 0]);
  expect(afterCompaction.text).toContain(DECISIONS.pay);
  // The server agrees with the hook.
  await conversation.say(callOf(toolName("thread_list")));
  expect(lastOf(on).text).toMatch(/pay.* ← active/);
  await conversation.leave();

  expect(hooksIn(conversation.told)).toEqual([
    ["SessionStart:startup", expect.stringContaining(HEADINGS.auth)],
    ["SessionStart:clear", expect.stringContaining(HEADINGS.pay)],
    ["SessionStart:compact", expect.stringContaining(HEADINGS.pay)],
  ]);
  const [before = "", after = ""] = sessionsIn(conversation.told);
  expect(measuredIn(on)).toEqual([
    expect.objectContaining({ session: before, client: "claude-code", size: cleared.size }),
    expect.objectContaining({ session: after, client: "claude-code", size: lastOf(on).size }),
  ]);
});

test("a resumed session of Claude Code keeps its thread, and isn't told the context again", async () => {
  const on = await machine();
  const first = converse(on);
  await first.say(callOf(toolName("thread_switch"), { threadId: "pay" }));
  await first.leave();
  const [session = ""] = sessionsIn(first.told);
  expect(measuredIn(on)).toEqual([expect.objectContaining({ session, size: lastOf(on).size })]);

  await on.run("threadmind", "switch", "main");
  const resumed = converse(on, "--resume", session);
  await resumed.say("Good evening");
  const evening = requestWith(on, "Good evening");
  expect([countIn(evening.text, HEADINGS.auth), countIn(evening.text, HEADINGS.pay)]).toEqual([1, 1]);
  await resumed.say(callOf(toolName("thread_list")));
  expect(lastOf(on).text).toMatch(/pay.* ← active/);
  await resumed.leave();
  expect(hooksIn(resumed.told)).toEqual([["SessionStart:resume", ""]]);
  expect(measuredIn(on)).toEqual([expect.objectContaining({ session, size: lastOf(on).size })]);
});

test("a session that Claude Code ends is measured by the model's own count, and stats tells it", async () => {
  const on = await machine();
  const conversation = converse(on);
  await conversation.say("Good morning");
  await conversation.say(callOf(toolName("thread_list")));
  await conversation.leave();
  const { text, size } = lastOf(on);
  const [session = ""] = sessionsIn(conversation.told);
  expect(measuredIn(on)).toEqual([
    expect.objectContaining({ session, client: "claude-code", size, context: tokensSaid(text) }),
  ]);
  const stats = await on.run("threadmind", "stats");
  expect(stats).toContain("Measured sessions (Claude Code plugin):");
  expect(stats).toContain(statsLine([size]));
  expect(stats).toContain(
    `ThreadMind context loaded at session start: ~${tokensSaid(text)} tokens on average (1 session)`,
  );
});

test("a session that ends after its compaction has the size that Claude Code says is left", async () => {
  const on = await machine();
  const conversation = converse(on);
  await conversation.say("Good morning");
  await conversation.say("/compact");
  await conversation.leave();
  const left = conversation.told.find(({ subtype }) => subtype === "compact_boundary")?.compact_metadata?.post_tokens;
  expect(left).toBePositive();
  expect(measuredIn(on)).toEqual([expect.objectContaining({ size: left })]);
});

test("a session whose end no hook saw is measured when the next one starts", async () => {
  const on = await machine();
  const lost = converse(on);
  await lost.say("Good morning");
  const { size } = lastOf(on);
  const [session = ""] = sessionsIn(lost.told);
  await writtenTranscript(on, "answer 1");
  await lost.kill();
  expect(measuredIn(on)).toEqual([expect.not.objectContaining({ size })]);
  const next = converse(on);
  await next.say("Good evening");
  await next.leave();
  expect(measuredIn(on)).toContainEqual(expect.objectContaining({ session, size }));
});

test("a long context reaches Claude Code's model whole", async () => {
  const on = await machine();
  const decisions = Array.from({ length: 400 }, (_, at) => `- Rule ${at}: nothing may be lost on its way\n`).join("");
  writeProject(on.repository.top, { auth: { title: "Auth", body: `## Decisions\n${decisions}` } });
  const conversation = converse(on);
  await conversation.say("Good morning");
  await conversation.leave();
  const [[, shown = ""] = []] = hooksIn(conversation.told);
  expect(shown.length).toBeWithin(8000, 9001);
  expect(requestWith(on, "Good morning").text).toContain(shown.trim());
});

test("Claude Code's own strict check passes the plugin and the marketplace", async () => {
  const on = await machine();
  for (const path of [join(TOP, "plugin"), TOP])
    expect(await on.run("claude", "plugin", "validate", "--strict", path)).toContain("Validation passed");
});

test("the plugin that Claude Code installs from the marketplace loads the context", async () => {
  const on = await machine();
  const marketplace = temporaryFolder("marketplace");
  for (const folder of [".claude-plugin", "plugin"])
    cpSync(join(TOP, folder), join(marketplace, folder), { recursive: true });
  await on.run("claude", "plugin", "marketplace", "add", marketplace);
  await on.run("claude", "plugin", "install", "thread-mind@thread-mind");
  await on.run("claude", "-p", "Good morning");
  expect(countIn(requestWith(on, "Good morning").text, HEADINGS.auth)).toBe(1);
  expect(measuredIn(on)).toEqual([expect.objectContaining({ client: "claude-code", size: lastOf(on).size })]);
});

test("after threadmind setup claude-code sessions load the context and are measured", async () => {
  const on = await machine();
  expect(await on.run("threadmind", "setup", "claude-code")).toContain("Claude Code is set up");
  await on.run("claude", "-p", callOf(toolName("thread_search"), { query: "cents" }), ...ALLOWED);
  const { text, size } = lastOf(on);
  expect(countIn(text, HEADINGS.auth)).toBe(1);
  expect(text).toContain(DECISIONS.pay);
  expect(await on.run("threadmind", "stats")).toContain(statsLine([size]));
  expect(await on.run("threadmind", "setup", "claude-code")).toContain("already set up");

  await on.run("threadmind", "setup", "claude-code", "--remove");
  await on.run("claude", "-p", "Good evening");
  expect(requestWith(on, "Good evening").text).not.toContain(HEADINGS.auth);
});
