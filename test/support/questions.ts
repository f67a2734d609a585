import { expect } from "bun:test";
import { join } from "node:path";
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type Message, openServer, type Server, shakeHands } from "./server.ts";
import { snapshot, writeProject } from "./stored_project.ts";
import { gitRepository } from "./temp.ts";

/** The answer of a person who ticks the box and sends the form. */
export const YES: ElicitResult = { action: "accept", content: { confirm: true } };

/** The folder of a project with `auth`, `auth-ui` below it, and `billing`. */
export function projectToDelete(): string {
  const { top, commit } = gitRepository();
  writeProject(top, { auth: {}, "auth-ui": { parentId: "auth" }, billing: {} });
  commit("Start");
  return top;
}

/** All thread files of a workspace, by `project/file`. */
export const threadsOf = (top: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snapshot(join(top, ".threadmind/threads"))).filter(([name]) => name.endsWith(".md")),
  );

/** A raw client that is asked and keeps the questions for itself. */
export async function openSilent(cwd: string): Promise<Server & { readonly questions: Message[] }> {
  const questions: Message[] = [];
  const answer = async (message: Message): Promise<undefined> => void questions.push(message);
  const server = await openServer({ cwd, answer }, { shakesHands: false });
  await shakeHands(server, { elicitation: {} });
  return { ...server, questions };
}

/** Waits until it holds, five seconds at most. */
export async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 5000; waited += 10) await Bun.sleep(10);
  expect(holds()).toBe(true);
}
