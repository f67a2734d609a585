import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TOP } from "../support/binary.ts";
import { temporaryFolder } from "../support/temp.ts";

const PACKAGES = join(TOP, "dist/view/node_modules");
const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** What the tests use of playwright-core, which is installed apart from the rest and has its types there. */
export interface BrowserPage {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  selectOption(selector: string, value: string): Promise<unknown>;
  textContent(selector: string): Promise<string | null>;
  screenshot(options: { path: string }): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(options: { colorScheme?: "light" | "dark"; media?: "print" | "screen" }): Promise<void>;
  /** evaluates an expression in the page */
  evaluate<T>(expression: string): Promise<T>;
  locator(selector: string): {
    ariaSnapshot(): Promise<string>;
    count(): Promise<number>;
  };
  on(event: string, listener: (subject: Subject) => void): void;
}

interface Subject {
  url(): string;
  type(): string;
  text(): string;
  dismiss(): Promise<void>;
  readonly message: string;
}

interface Context {
  newPage(): Promise<BrowserPage>;
  close(): Promise<void>;
}

interface Browser {
  newContext(options: Readonly<Record<string, unknown>>): Promise<Context>;
  close(): Promise<void>;
}

/** A page in the browser, with all that it said, asked for or threw while it was open. */
export interface OpenPage {
  readonly page: BrowserPage;
  /** empty unless the page asked for anything but its own file, wrote to the console, threw, or opened a dialog */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** The browser on this machine; `undefined` if there is none. */
export function findChromium(): string | undefined {
  return NAMES.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined;
}

/** The source of axe-core, which looks for what keeps people out. */
export function axeSource(): string {
  return readFileSync(join(PACKAGES, "axe-core/axe.min.js"), "utf8");
}

/** Starts a headless browser. */
export async function openBrowser(program: string): Promise<Browser> {
  const { chromium } = await import(join(PACKAGES, "playwright-core/index.mjs"));
  // The sandbox needs rights that containers don't give; what is opened is our own page.
  return await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--font-render-hinting=none"] });
}

/** Opens a page's text from a file, as a person would, and notes whatever it does besides. */
export async function openPage(
  browser: Browser,
  text: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<OpenPage> {
  const file = join(temporaryFolder("page"), "view.html");
  writeFileSync(file, text);
  const url = pathToFileURL(file).href;
  const context = await browser.newContext({ viewport: { width: 1180, height: 760 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url() !== url || asked.length > 0) complaints.push(`request ${request.url()}`);
    asked.push(request.url());
  });
  page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog ${dialog.message}`);
    void dialog.dismiss();
  });
  page.on("popup", () => complaints.push("popup"));
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}
