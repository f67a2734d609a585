import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, TOP } from "./support/binary.ts";
import { openClient } from "./support/client.ts";
import { temporaryFolder } from "./support/temp.ts";

const UPDATING = Boolean(process.env.UPDATE);
const FOLDER = join(TOP, "test/golden");
const TOOLS = join(FOLDER, "tools");
const MOST_LIST_CHARACTERS = 11_000;
const MOST_INSTRUCTION_CHARACTERS = 2000;

const client = await openClient({ cwd: temporaryFolder() });
const { tools } = await client.client.listTools();
const instructions = client.client.getInstructions() ?? "";
afterAll(() => client.close());

/** Compares a text with its golden file; with UPDATE=1 writes the file. */
function compare(path: string, text: string): void {
  if (UPDATING) writeFileSync(path, text);
  expect(existsSync(path) ? readFileSync(path, "utf8") : "(no golden file: run UPDATE=1 bun test)").toBe(text);
}

if (UPDATING) {
  rmSync(TOOLS, { recursive: true, force: true });
  mkdirSync(TOOLS, { recursive: true });
}

for (const tool of tools) {
  test(`the tool ${tool.name} is as its golden file shows`, () => {
    compare(join(TOOLS, `${tool.name}.json`), `${JSON.stringify(tool, undefined, 2)}\n`);
  });
}

test("each golden file has its tool", () => {
  expect(readdirSync(TOOLS).sort()).toEqual(tools.map(({ name }) => `${name}.json`).sort());
});

test("the instructions and the help are as their golden files show", async () => {
  compare(join(FOLDER, "instructions.txt"), `${instructions}\n`);
  const { stdout, code } = await run(["help"]);
  expect(code).toBe(0);
  compare(join(FOLDER, "help.txt"), stdout);
});

test("the tool list and the instructions stay small", () => {
  expect(JSON.stringify(tools).length).toBeLessThan(MOST_LIST_CHARACTERS);
  expect(instructions.length).toBeLessThan(MOST_INSTRUCTION_CHARACTERS);
  expect(instructions.length).toBeGreaterThan(200);
});

test("every tool says what every client needs", () => {
  expect(tools.length).toBeGreaterThan(0);
  for (const { name, title, description, annotations, inputSchema } of tools) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(existsSync(join(TOP, `src/commands/${name}.ts`))).toBe(true);
    expect(title).toBeTruthy();
    expect(description).toBeTruthy();
    expect(Object.keys(annotations ?? {}).sort()).toEqual([
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
      "readOnlyHint",
    ]);
    expect(annotations?.openWorldHint).toBe(false);
    expect(inputSchema.additionalProperties).toBe(false);
    const text = JSON.stringify(inputSchema);
    for (const word of ["$schema", "$ref", "anyOf", "oneOf", "allOf", '"const"', "exclusiveMinimum", '"not"']) {
      expect(text).not.toContain(word);
    }
    for (const property of Object.values(inputSchema.properties ?? {})) {
      const { type, description: about, items } = property as { type?: string; description?: string; items?: object };
      expect(about).toBeTruthy();
      expect(["string", "integer", "boolean", "array"]).toContain(type ?? "");
      if (type === "array") expect(items).toEqual({ type: "string" });
    }
  }
});
