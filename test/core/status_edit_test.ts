import { expect, test } from "bun:test";
import { setStatusReason } from "../../src/core/status_edit.ts";

const BODY = "## Decisions\n- JWT\n\n## State\n- x\n";

test("`setStatusReason()` writes the reason as the last bullet of Decisions", () => {
  expect(setStatusReason(BODY, "abandoned", "open", "too slow").body).toBe(
    "## Decisions\n- JWT\n- Abandoned: too slow\n\n## State\n- x\n",
  );
  expect(setStatusReason(BODY, "done", "open", "shipped").body).toContain("- JWT\n- Done: shipped\n");
  expect(setStatusReason(BODY, "done", "open", undefined)).toMatchObject({ body: BODY, movedToDecisions: false });
});

test("`setStatusReason()` writes the same reason once", () => {
  const { body } = setStatusReason(BODY, "abandoned", "open", "too slow");
  expect(setStatusReason(body, "abandoned", "abandoned", "too slow").body).toBe(body);
});

test("`setStatusReason()` replaces the reason of the same status, and adds one to another's or to an open thread's", () => {
  const one = "## Decisions\r\n* JWT\r\n* Abandoned: one\r\n\r\n## State\r\n- x\r\n";
  expect(setStatusReason(one, "abandoned", "abandoned", "two")).toEqual({
    body: one.replace("Abandoned: one", "Abandoned: two"),
    movedToDecisions: false,
    replaced: "Abandoned: one",
    rewritten: undefined,
  });
  expect(setStatusReason(one, "abandoned", "abandoned", undefined)).toMatchObject({ body: one, replaced: undefined });
  const added = setStatusReason(one.replaceAll("\r\n", "\n"), "abandoned", "open", "two");
  expect([added.body.includes("* Abandoned: one\n- Abandoned: two\n"), added.replaced]).toEqual([true, undefined]);
});

test("`setStatusReason()` leaves a bullet alone that speaks of another status than the one left", () => {
  const body = "## Decisions\n- Abandoned: Redis\n";
  expect(setStatusReason(body, "open", "done", undefined).body).toBe(body);
});

test("`setStatusReason()` rewrites the bullet of a status that is left, and its words stay", () => {
  const done = setStatusReason(BODY, "done", "open", "shipped").body;
  const abandoned = setStatusReason(done, "abandoned", "done", "rolled back").body;
  expect(abandoned).toContain("- JWT\n- Reopened (was done: shipped)\n- Abandoned: rolled back\n");
  const open = setStatusReason(abandoned, "open", "abandoned", undefined).body;
  expect(open).toContain("- Reopened (was done: shipped)\n- Reopened (was abandoned: rolled back)\n");
  expect(setStatusReason(open, "open", "open", undefined).body).toBe(open);
});

test("`setStatusReason()` puts a text without sections under Decisions first", () => {
  expect(setStatusReason("Plain.\n", "abandoned", "open", "no")).toMatchObject({
    body: "## Decisions\nPlain.\n\n- Abandoned: no\n",
    movedToDecisions: true,
  });
});
