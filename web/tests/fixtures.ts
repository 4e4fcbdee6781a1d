/** A workbench of its own for the tests, and people who work at it. */

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import type { Annotation, Chart, ChartList, Note, ProjectInList } from "../src/api/types";

export { expect };
export const PASSWORD = "correct horse battery";
const RUNNING = process.env["AUSCULT_RUNNING"];
const PYTHON = process.env["PYTHON"] ?? "../.venv/bin/python";

interface Fixtures {
  /** A page in a browser of its own, where nobody is logged in. */
  fresh: () => Promise<Page>;
  /** A page of somebody who is logged in. */
  as: (name: string) => Promise<Page>;
}

export const test = base.extend<Fixtures, { address: string }>({
  address: [
    async ({}, use) => {
      // While writing tests: a workbench that runs already.
      if (RUNNING !== undefined) return use(RUNNING);
      const folder = mkdtempSync(join(tmpdir(), "auscult-web-"));
      const port = await freePort();
      const server = spawn(PYTHON, ["tests/workbench.py", folder, String(port)], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      try {
        await isUp(server, `http://127.0.0.1:${port}/api/formats`);
        await use(`http://127.0.0.1:${port}`);
      } finally {
        server.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { scope: "worker", timeout: 180_000 },
  ],
  baseURL: async ({ address }, use) => use(address),
  fresh: async ({ browser, address }, use) => {
    const contexts: { close(): Promise<void> }[] = [];
    await use(async () => {
      const context = await browser.newContext({
        baseURL: address,
        viewport: { width: 1440, height: 900 },
      });
      contexts.push(context);
      const page = await context.newPage();
      watch(page);
      return page;
    });
    for (const context of contexts) await context.close();
  },
  as: async ({ fresh }, use) => {
    await use(async (name) => {
      const page = await fresh();
      await page.request.post("/api/login", { data: { name, password: PASSWORD } });
      return page;
    });
  },
});

const complaints = new WeakMap<Page, string[]>();

/** Collect what the browser complains of: scripts that fail, and what the policy had to stop. */
export function watch(page: Page): string[] {
  const found: string[] = [];
  complaints.set(page, found);
  page.on("pageerror", (error) => found.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) found.push(message.text());
  });
  return found;
}

export const complaintsOf = (page: Page): string[] => complaints.get(page) ?? [];

export async function get<T>(page: Page, path: string): Promise<T> {
  const answer = await page.request.get(`/api${path}`, { maxRetries: 3 });
  expect(answer.status(), path).toBe(200);
  return (await answer.json()) as T;
}

export async function projectId(page: Page, name: string): Promise<number> {
  const projects = await get<ProjectInList[]>(page, "/projects");
  return projects.find((one) => one.name === name)!.id;
}

export interface Opened {
  project: number;
  chart: number;
  notes: number[];
}

/** Open a chart of a project, by its id in the corpus; the cursor is on the first word. */
export async function openChart(page: Page, name: string, chartId: string): Promise<Opened> {
  const project = await projectId(page, name);
  const { charts } = await get<ChartList>(page, `/projects/${project}/charts?limit=100`);
  const chart = charts.find((one) => one.chart_id === chartId)!.id;
  const { notes } = await get<Chart>(page, `/projects/${project}/charts/${chart}`);
  await page.goto(`/projects/${project}/charts/${chart}`);
  await expect(textOf(page)).toBeFocused();
  return { project, chart, notes: notes.map((note) => note.id) };
}

export const textOf = (page: Page) => page.getByRole("textbox", { name: /Text of the note/ });

export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Reach something by Tab alone, as somebody without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let step = 0; step < 80; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await press(page, "Tab");
  }
  throw new Error(`${target} cannot be reached by Tab.`);
}

/** Log in and go somewhere by links, with no mouse. */
export async function enterByKeys(page: Page, name: string, ...links: string[]): Promise<void> {
  await page.goto("/");
  await tabTo(page, page.getByLabel("Name"));
  await page.keyboard.type(name);
  await press(page, "Tab");
  await page.keyboard.type(PASSWORD);
  await press(page, "Enter");
  for (const link of links) {
    await tabTo(page, page.getByRole("link", { name: link, exact: true }));
    await press(page, "Enter");
  }
}

/** Give a code to words, by keyboard. */
export async function code(page: Page, words: string, value: string): Promise<void> {
  await goTo(page, words);
  await press(page, "Enter");
  await page.keyboard.type(value);
  await page
    .getByRole("option", { name: new RegExp(value.replace(".", "\\.")) })
    .first()
    .waitFor();
  await press(page, "Enter");
}

/** Wait until everything is saved. A code box that still waits for its list is not done. */
export async function saved(page: Page): Promise<void> {
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.locator(".saving")).toContainText("✓ Saved");
}

/** What the server has of a note: code, words. */
export async function stored(page: Page, { project, notes }: Opened, at = 0): Promise<string[]> {
  const note = await get<Note>(page, `/projects/${project}/notes/${notes[at]}`);
  const points = Array.from(note.text ?? "");
  const words = (one: Annotation): string =>
    one.spans.map(([begin, end]) => points.slice(begin, end).join("")).join(" … ");
  return note.sheet.annotations.map((one) => `${one.code} ${words(one)}`);
}

const SHOTS = process.env["AUSCULT_SHOTS"];

/** A picture of the page where one is wanted, and nothing serious for axe, light and dark. */
export async function look(page: Page, name: string): Promise<void> {
  // How long axe takes on a busy machine says nothing about what is tested.
  const info = base.info();
  info.setTimeout(info.timeout + 60_000);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (SHOTS)
      await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png`, fullPage: true });
    // What the colors change is the contrast alone.
    const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
    const { violations } = await (
      colorScheme === "dark" ? axe.withRules(["color-contrast"]) : axe
    ).analyze();
    const serious = violations.filter(
      ({ impact }) => impact === "serious" || impact === "critical",
    );
    expect(
      serious.map(({ id, nodes }) => `${name} ${colorScheme} ${id}: ${nodes[0]!.html}`),
    ).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** Put the cursor on words, by searching for them: the text has the focus afterwards. */
export async function goTo(page: Page, words: string): Promise<void> {
  await press(page, "/");
  await page.keyboard.type(words);
  await press(page, "Enter");
  await expect(textOf(page)).toBeFocused();
  await expect(page.locator(".search [role=status]")).toContainText("result");
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : 0),
      );
    });
  });
}

async function isUp(server: ChildProcess, url: string): Promise<void> {
  const said: string[] = [];
  server.stdout?.on("data", (data: Buffer) => said.push(data.toString()));
  server.stderr?.on("data", (data: Buffer) => said.push(data.toString()));
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) throw new Error(`The workbench ended:\n${said.join("")}`);
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  throw new Error(`The workbench does not answer:\n${said.join("")}`);
}
