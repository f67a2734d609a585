import { afterAll, afterEach, expect, test as plainTest } from "bun:test";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { TOP } from "../support/binary.ts";
import { gitRepository } from "../support/temp.ts";
import { axeSource, type BrowserPage, findChromium, type OpenPage, openBrowser, openPage } from "./browser.ts";
import {
  contextOf,
  dataOf,
  HOSTILE,
  largeWorkspace,
  nameIn,
  pageOf,
  randomWorkspace,
  shopWorkspace,
  writeThreads,
} from "./workspaces.ts";

const PROGRAM = findChromium();
if (PROGRAM === undefined) console.log("SKIPPED: all tests of the page in a browser: there is no Chromium here");
const test = (PROGRAM === undefined ? plainTest.skip : plainTest) as typeof plainTest;
const PICTURE = join(TOP, "docs/images/view.png");

const browser = PROGRAM === undefined ? undefined : await openBrowser(PROGRAM);
const opened: OpenPage[] = [];
afterEach(async () => {
  for (const { complaints, close } of opened.splice(0)) {
    await close();
    expect(complaints).toEqual([]);
  }
});
afterAll(async () => {
  await browser?.close();
});

/** Opens a page; when the test ends, it must have made no request and said nothing. */
async function open(text: string, options: Readonly<Record<string, unknown>> = {}): Promise<BrowserPage> {
  if (browser === undefined) throw new Error("there is no browser");
  const found = await openPage(browser, text, options);
  opened.push(found);
  return found.page;
}

const focused = (page: BrowserPage): Promise<string> =>
  page.evaluate("document.activeElement.querySelector('.name')?.textContent ?? document.activeElement.tagName");
const rows = (page: BrowserPage): Promise<readonly string[]> =>
  page.evaluate(
    "[...document.querySelectorAll('[role=treeitem]:not([hidden]) .name')].map((each) => each.textContent)",
  );
const title = async (page: BrowserPage): Promise<string> => (await page.textContent("main h2")) ?? "";

/** The page's address, given the time that a browser takes to change it to what is expected. */
async function address(page: BrowserPage, expected: string): Promise<string> {
  const read = (): Promise<string> => page.evaluate<string>("location.hash");
  for (let tries = 0; tries < 100 && (await read()) !== expected; tries++) await Bun.sleep(20);
  return await read();
}

async function press(page: BrowserPage, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const shop = shopWorkspace();

test("the page opens from a file on the active thread, with its branch, its status and its note", async () => {
  const page = await open(await pageOf(shop));
  expect(await title(page)).toBe("Auth API");
  expect(await page.textContent("h1")).toBe("Shop");
  expect(await page.textContent(".note.warn")).toBe(
    "⚠ 2 commits changed src/api since this summary was written: check it is still accurate.",
  );
  expect(await rows(page)).toEqual([
    "Shop",
    "Catalogue",
    "Auth",
    "Auth UI",
    "Auth API",
    "Social login",
    "Payments",
    "Refunds",
  ]);
});

test("the summary is drawn as Markdown, and links lead out only when they are clicked", async () => {
  const page = await open(await pageOf(shop));
  expect(
    await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.prose h3')].map((each) => each.textContent)",
    ),
  ).toEqual(["Decisions", "State", "Next steps"]);
  expect(await page.textContent(".prose li code")).toBe("POST /auth/login");
  expect(await page.locator(".prose ol li").count()).toBe(2);
  expect(await page.evaluate<string>("document.querySelector('.prose a').outerHTML")).toBe(
    '<a href="https://www.rfc-editor.org/rfc/rfc9457" title="https://www.rfc-editor.org/rfc/rfc9457" rel="noopener noreferrer" target="_blank">problem details</a>',
  );
});

test("the tree is worked with the keyboard", async () => {
  const page = await open(await pageOf(shop));
  await page.evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
  expect(await focused(page)).toBe("Auth API");
  await press(page, "ArrowDown");
  expect(await focused(page)).toBe("Social login");
  expect(await title(page)).toBe("Auth API");
  await press(page, "Enter");
  expect(await title(page)).toBe("Social login");
  await press(page, "ArrowLeft");
  expect(await focused(page)).toBe("Auth");
  await press(page, "ArrowLeft");
  expect(await rows(page)).not.toContain("Auth UI");
  await press(page, "ArrowRight", "ArrowRight");
  expect(await focused(page)).toBe("Auth UI");
  await press(page, "End");
  expect(await focused(page)).toBe("Refunds");
  await press(page, "Home", "ArrowUp", " ");
  expect(await title(page)).toBe("Shop");
  expect(await page.evaluate<number>("document.querySelectorAll('[role=treeitem][tabindex=\"0\"]').length")).toBe(1);
  expect(await address(page, "#/shop/main")).toBe("#/shop/main");
});

test("a click opens a thread, a click on the arrow folds what is below it, and Back returns", async () => {
  const page = await open(await pageOf(shop));
  await page.click("text=Payments");
  expect(await title(page)).toBe("Payments");
  await page.click('.row:has-text("Payments") .twist');
  expect(await rows(page)).not.toContain("Refunds");
  await page.evaluate(
    "new Promise((resolve) => { addEventListener('hashchange', resolve, { once: true }); history.back(); })",
  );
  expect(await title(page)).toBe("Auth API");
});

test("search finds words of titles and texts without case and accents, and Esc ends it", async () => {
  const page = await open(await pageOf(shop));
  await press(page, "/");
  await page.keyboard.type("ARGON2ÏD");
  expect(await rows(page)).toEqual(["Shop", "Auth"]);
  expect(await page.textContent(".found")).toBe("1 of 8 threads");
  expect(await page.textContent('.row:has-text("Auth") .hit:not([hidden])')).toContain("hashed with **argon2id**");
  await press(page, "Enter");
  expect(await title(page)).toBe("Auth");
  await press(page, "Escape");
  expect(await rows(page)).toHaveLength(8);
  await press(page, "/");
  await page.keyboard.type("nothing has this");
  expect(await rows(page)).toEqual([]);
  expect(await page.evaluate<boolean>("document.querySelector('.side .empty').hidden")).toBe(false);
  await press(page, "Escape");
  expect(await focused(page)).toBe("Auth");
  await page.click("text=Hide finished");
  expect(await rows(page)).toEqual(["Shop", "Auth", "Auth UI", "Auth API", "Payments", "Refunds"]);
});

/** Opens one thread after the other on its context tab and returns what stands there. */
const READ_ALL = `(async () => {
  const found = [];
  document.getElementById("tab-context")?.click();
  for (const [at, { id, threads }] of DATA.entries()) for (const thread of threads) {
    const address = "#/" + encodeURIComponent(id) + "/" + encodeURIComponent(thread);
    if (location.hash !== address) {
      const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
      location.hash = address;
      await changed;
    }
    const shown = document.querySelector("pre.context, .note.error");
    found.push(shown === null ? "" : shown.textContent);
  }
  return found;
})()`;

for (const seed of [11, 12]) {
  test(`every context of generated workspace ${seed} stands in the browser as threadmind context prints it`, async () => {
    const repository = await randomWorkspace(seed);
    const text = await pageOf(repository);
    const data = dataOf(text);
    const names = data.projects.map(({ id, threads }) => ({ id, threads: threads.map((thread) => thread.id) }));
    const page = await open(text);
    const shown = await page.evaluate<readonly string[]>(READ_ALL.replace("DATA", JSON.stringify(names)));
    const wanted: string[] = [];
    for (const [at, { threads }] of names.entries())
      for (const id of threads) wanted.push(await contextOf(repository, nameIn(data, at, id)));
    expect(shown).toEqual(wanted);
  });
}

test("the parts of a context are drawn with their shares, and lead to their threads", async () => {
  const page = await open(await pageOf(shop));
  await page.click("#tab-context");
  const shares = await page.evaluate<readonly { name: string; tokens: string; width: number; share: number }[]>(`
    [...document.querySelectorAll(".shares li")].map((row) => ({
      name: row.querySelector(".part").textContent,
      tokens: row.querySelector(".tokens").textContent,
      width: row.querySelector(".fill").getBoundingClientRect().width / row.querySelector(".track").getBoundingClientRect().width,
    }))`);
  expect(shares.map(({ name }) => name)).toEqual(["system context", "main", "auth", "auth-api"]);
  const tokens = shares.map(({ tokens: text }) => Number(/~([\d,]+)/.exec(text)?.[1]?.replace(",", "")));
  const sum = tokens.reduce((all, each) => all + each, 0);
  for (const [at, { width }] of shares.entries()) expect(width).toBeCloseTo((tokens[at] ?? 0) / sum, 2);
  await page.click(".shares >> text=auth");
  expect(await title(page)).toBe("Auth");
});

test("the measured sessions are a chart and a table, without ids and transcripts", async () => {
  const text = await pageOf(shop);
  expect(text).not.toContain("transcript.jsonl");
  const page = await open(text);
  await page.click("text=Sessions");
  expect(await title(page)).toBe("Measured sessions");
  expect(await page.locator("svg.chart rect.size").count()).toBe(12);
  expect(await page.locator("svg.chart rect.loaded").count()).toBe(12);
  expect(await page.locator("svg.chart line.peak").count()).toBe(1);
  const heights = await page.evaluate<readonly number[]>(
    "[...document.querySelectorAll('rect.size')].slice(0, 2).map((each) => Number(each.getAttribute('height')))",
  );
  expect((heights[0] ?? 0) / (heights[1] ?? 1)).toBeCloseTo(48 / 61, 3);
  expect(await page.textContent("svg.chart g.session:nth-of-type(6) title")).toBe(
    "2026-04-17, claude-code, ended at ~96,000 tokens, started with ~670",
  );
  expect(await page.evaluate<string>("document.querySelector('tbody tr').textContent")).toContain("~48,000");
  await page.click("text=Sessions >> nth=0");
  expect(await title(page)).toBe("Auth API");
});

test("without measured sessions the page says how to get them", async () => {
  const repository = gitRepository();
  writeThreads(repository.top, "app", { main: { parentId: "null" } });
  const page = await open(await pageOf(repository));
  expect(await page.textContent("main .empty")).toContain("No summary yet.");
  await page.click("text=Sessions");
  expect(await page.textContent("main .empty")).toContain("threadmind setup claude-code");
});

test("a project without threads, and an address that names nothing, leave a page that works", async () => {
  const repository = gitRepository();
  writeThreads(repository.top, "empty", {});
  writeThreads(repository.top, "full", { main: { parentId: "null", title: "Root" } });
  const page = await open(await pageOf(repository, "--project", "empty"));
  expect(await page.textContent("main .empty")).toContain("This project has no threads yet.");
  await page.selectOption("select", "1");
  expect(await title(page)).toBe("Root");
  await page.evaluate("location.hash = '#/full/nothing'");
  expect(await title(page)).toBe("Root");
  await page.selectOption("select", "0");
  expect(await page.textContent("main .empty")).toContain("This project has no threads yet.");
});

test("the context can be taken along", async () => {
  const page = await open(await pageOf(shop));
  await page.click("#tab-context");
  await page.click("text=Copy");
  const taken = "/Copied|Selected/.test(document.querySelector('main button.quiet').textContent)";
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
  expect(await page.evaluate<boolean>(taken)).toBe(true);
});

test("projects are switched between, and the address keeps the place", async () => {
  const page = await open(await pageOf(await randomWorkspace(13)));
  await page.selectOption("select", "1");
  expect(await page.textContent("h1")).toBe("other");
  await page.click("text=d3 >> nth=0");
  expect(await address(page, "#/other/d3")).toBe("#/other/d3");
  expect(await page.textContent(".faults")).toContain("misnamed");
});

test("hostile titles, texts and branches are text: no dialog, no request, no element of theirs", async () => {
  const repository = gitRepository();
  const threads = Object.fromEntries(
    HOSTILE.map((text, at) => [
      `t${at}`,
      {
        title: JSON.stringify(text),
        author: JSON.stringify(text),
        branch: JSON.stringify(text),
        mergedInto: JSON.stringify(text),
        status: "done",
        paths: `[${JSON.stringify(text)}]`,
        body: `## Decisions\n- ${text}\n\n${text}\n\n## ${text}\n`,
      },
    ]),
  );
  const big = `## Decisions\n${"<b>x</b> ".repeat(2 ** 17)}`;
  writeThreads(
    repository.top,
    "app",
    { main: { parentId: "null", body: HOSTILE.join("\n\n") }, ...threads, big: { title: "x".repeat(2000), body: big } },
    { title: HOSTILE[0], systemContext: HOSTILE.join("\n") },
  );
  const page = await open(await pageOf(repository));
  const ids = ["main", ...Object.keys(threads), "big"];
  for (const tab of ["summary", "context", "facts"]) {
    await page.evaluate(`document.getElementById("tab-${tab}").click()`);
    for (const id of ids) {
      await page.evaluate(`(async () => {
        const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
        if (location.hash === "#/app/${id}") return;
        location.hash = "#/app/${id}";
        await changed;
      })()`);
      expect(
        await page.evaluate<string>(
          "[...document.querySelectorAll('script, img, svg, iframe, object, embed, link, form, base')].map((each) => each.tagName).join()",
        ),
      ).toBe("SCRIPT,SCRIPT");
      expect(
        await page.evaluate<string>(
          "[...document.querySelectorAll('a')].map((each) => each.protocol).filter((each) => !/^(https?|mailto|file):$/.test(each)).join()",
        ),
      ).toBe("");
      expect(
        await page.evaluate<boolean>(
          "/[\\u202a-\\u202e\\u2066-\\u2069\\u0007\\u001b\\u009b]/.test(document.body.textContent)",
        ),
      ).toBe(false);
    }
  }
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  expect(await page.textContent("h1")).toBe(HOSTILE[0] as string);
});

test("links of hostile texts have no address but http, https and mailto", async () => {
  const repository = gitRepository();
  writeThreads(repository.top, "app", { main: { parentId: "null", body: `- ${HOSTILE.join("\n- ")}\n` } });
  const page = await open(await pageOf(repository));
  expect(
    await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.prose a')].map((each) => each.getAttribute('href'))",
    ),
  ).toEqual(["https://example.org/p.png"]);
  expect(await page.textContent(".prose")).toContain("[click](javascript:alert(1))");
});

/** Milliseconds of one interaction, drawing included: the median of a few. */
const MEASURE = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const timed = async (act) => {
    const times = [];
    for (let turn = 0; turn < 7; turn++) {
      await drawn();
      const started = performance.now();
      act(turn);
      document.body.getBoundingClientRect();
      await drawn();
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[3];
  };
  const key = (name) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  document.querySelector('[role=treeitem][tabindex="0"]').focus();
  const box = document.querySelector("input");
  const type = (text) => { box.value = text; box.dispatchEvent(new Event("input")); };
  return {
    move: await timed(() => key("ArrowDown")),
    open: await timed((turn) => { key(turn % 2 ? "ArrowUp" : "ArrowDown"); key("Enter"); }),
    search: await timed((turn) => type(["word1", "word2 decided", "t", "answers", "zzz", "", "number 5"][turn])),
    fold: await timed((turn) => { type(""); key(turn % 2 ? "ArrowRight" : "Home"); key("ArrowLeft"); }),
  };
})()`;

test("with 1,000 threads nothing takes much longer than with ten", async () => {
  const [ten, thousand] = [await pageOf(largeWorkspace(10)), await pageOf(largeWorkspace(1000))];
  const small = await (await open(ten)).evaluate<Record<string, number>>(MEASURE);
  const large = await (await open(thousand)).evaluate<Record<string, number>>(MEASURE);
  for (const [name, time] of Object.entries(large)) {
    // A frame is the least that anything takes.
    const ratio = time / Math.max(16, small[name] ?? 0);
    expect([name, ratio < 12]).toEqual([name, true]);
  }
});

test("light and dark follow the system, and the button turns them over", async () => {
  const text = await pageOf(shop);
  const brightness =
    "(() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number); return r + g + b; })()";
  const page = await open(text, { colorScheme: "dark" });
  expect(await page.evaluate<number>(brightness)).toBeLessThan(150);
  await page.click("text=Light");
  expect(await page.evaluate<number>(brightness)).toBeGreaterThan(600);
  await page.click("text=Dark");
  expect(await page.evaluate<number>(brightness)).toBeLessThan(150);
  await page.emulateMedia({ media: "print" });
  expect(await page.evaluate<number>(brightness)).toBeGreaterThan(600);
  const light = await open(text, { colorScheme: "light" });
  expect(await light.evaluate<number>(brightness)).toBeGreaterThan(600);
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

test("a table is drawn as one, whatever stands in it stays text, and its column keeps its side", async () => {
  const repository = gitRepository();
  const cell = HOSTILE.join(" ").replace(/[|\\\s]+/g, " ");
  const body = `## Decisions\n\n| Store | Costs |\n|---|--:|\n| **SQLite** | 0 |\n| ${cell} | 2 |\n`;
  writeThreads(repository.top, "app", { main: { parentId: "null", body } });
  const page = await open(await pageOf(repository));
  const texts = await page.evaluate(
    "[...document.querySelectorAll('.prose tr')].map((row) => [...row.cells].map((cell) => cell.textContent))",
  );
  expect(texts).toMatchObject([
    ["Store", "Costs"],
    ["SQLite", "0"],
    [expect.any(String), "2"],
  ]);
  const sides =
    "[...document.querySelectorAll('.prose th, .prose td')].map((cell) => getComputedStyle(cell).textAlign)";
  expect(await page.evaluate<string[]>(sides)).toEqual(["start", "end", "start", "end", "start", "end"]);
  const others = "[...document.querySelectorAll('.prose table *')].map(({ localName }) => localName)";
  const known = ["thead", "tbody", "tr", "th", "td", "strong", "em", "s", "code", "a"];
  expect((await page.evaluate<string[]>(others)).filter((name) => !known.includes(name))).toEqual([]);
  await page.evaluate(`${axeSource()}; 0`);
  expect(await page.evaluate<unknown>("axe.run().then(({ violations }) => violations.map(({ id }) => id))")).toEqual(
    [],
  );
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing that keeps people out, contrast included, in ${colorScheme}`, async () => {
    const page = await open(await pageOf(shop), { colorScheme });
    await page.evaluate(`${axeSource()}; 0`);
    const check = async (place: string): Promise<void> => {
      const violations = await page.evaluate<readonly Violation[]>("axe.run().then(({ violations }) => violations)");
      const told = violations.map(({ id, nodes }) => [place, id, nodes[0]?.html, nodes[0]?.failureSummary]);
      expect(told).toEqual([]);
    };
    await check("summary");
    await page.click("#tab-context");
    await check("context");
    await page.click("#tab-facts");
    await check("facts");
    await page.click("text=Social login");
    await check("abandoned");
    await page.fill("input", "auth");
    await check("search");
    await page.click("text=Sessions");
    await page.click("main summary");
    await check("sessions");
    const damaged = await open(await pageOf(await randomWorkspace(14), "--project", "other", "--thread", "torn"), {
      colorScheme,
    });
    await damaged.evaluate(`${axeSource()}; 0`);
    const found = await damaged.evaluate<readonly Violation[]>("axe.run().then(({ violations }) => violations)");
    expect(found.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary])).toEqual([]);
  });
}

test("a screen reader hears names: the tree, its levels, the tabs and the search", async () => {
  const page = await open(await pageOf(shop));
  const told = await page.locator("body").ariaSnapshot();
  for (const part of [
    'heading "Shop" [level=1]',
    'searchbox "Search titles and texts"',
    'button "Switch to dark colours"',
    'navigation "Threads"',
    'tree "Threads of Shop"',
    'treeitem "Catalogue , done"',
    'treeitem "Auth API active , may be out of date"',
    'tab "Summary" [selected]',
    'tabpanel "Summary"',
    'navigation "Ancestors"',
  ])
    expect(told).toContain(part);
  const levels = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('[role=treeitem]')].map((each) => ['level', 'posinset', 'setsize', 'expanded'].map((name) => each.getAttribute('aria-' + name)).join())",
  );
  expect(levels.slice(0, 4)).toEqual(["1,1,1,true", "2,1,3,", "2,2,3,true", "3,1,3,"]);
});

test("at 380 pixels nothing scrolls sideways, and a thread that is opened comes into view", async () => {
  for (const text of [await pageOf(shop), await pageOf(await randomWorkspace(15))]) {
    const page = await open(text, { viewport: { width: 380, height: 800 } });
    const excess = "document.documentElement.scrollWidth - innerWidth";
    for (const tab of ["summary", "context", "facts"]) {
      await page.click(`#tab-${tab}`);
      expect(await page.evaluate<number>(excess)).toBe(0);
    }
    await page.click("text=Sessions");
    expect(await page.evaluate<number>(excess)).toBe(0);
    await page.click("[role=treeitem] >> nth=2");
    expect(
      await page.evaluate<number>("Math.round(document.querySelector('main').getBoundingClientRect().top)"),
    ).toBeLessThan(400);
  }
});

test("the picture in the README is taken", async () => {
  const page = await open(await pageOf(shop), { deviceScaleFactor: 2, viewport: { width: 1080, height: 760 } });
  await page.click("#tab-context");
  await page.evaluate("document.activeElement.blur()");
  if (process.env.UPDATE !== "1") return expect(await Bun.file(PICTURE).exists()).toBe(true);
  mkdirSync(dirname(PICTURE), { recursive: true });
  await page.screenshot({ path: PICTURE });
});
