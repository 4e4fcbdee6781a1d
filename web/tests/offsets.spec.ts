/** What is selected in the browser is what is stored, whatever the text is made of. */

import type { Locator, Page } from "@playwright/test";
import type { Note } from "../src/api/types";
import {
  complaintsOf,
  expect,
  get,
  openChart,
  press,
  saved,
  stored,
  test,
  textOf,
} from "./fixtures";

test("every word, by keyboard: emoji, combining marks, CRLF, tabs, markup", async ({ as }) => {
  const page = await as("ann");
  const chart = await openChart(page, "Odd", "odd0");
  await press(page, "Enter");
  await page.keyboard.type("R05.9");
  await page
    .getByRole("option", { name: /R05\.9/ })
    .first()
    .waitFor();
  await press(page, "Enter");
  await saved(page);
  const words = [
    "Heart",
    "🫀",
    "beats",
    "Tab",
    "then",
    "fe\u0301ver",
    "and",
    "👨‍👩‍👧",
    "family",
    "𝔘nusual",
    "naïve",
    "漢字",
    "text",
    "with",
    "↑",
    "BP",
  ];
  for (const _ of words.slice(1)) await press(page, "ArrowRight", "r");
  await saved(page);
  expect(await stored(page, chart)).toEqual(words.map((word) => `R05.9 ${word}`));
  // Text is text: nothing in it ran, and it is on screen as it was written.
  await expect(textOf(page)).toContainText(
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>",
  );
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBe(
    undefined,
  );
  expect(await textOf(page).locator("script, img").count()).toBe(0);
  expect(complaintsOf(page)).toEqual([]);
});

test("a script in the name of a code is text", async ({ as }) => {
  const page = await as("ann");
  await openChart(page, "Odd", "odd1");
  await press(page, "ArrowRight", "ArrowRight", "Enter");
  const row = page.getByRole("option", { name: /C0000001/ });
  await expect(row).toContainText("<img src=x onerror='window.hacked=1'><script>");
  await pick(page, row);
  await saved(page);
  await expect(page.locator(".mark-row .what").first()).toContainText("<script>window.hacked");
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBe(
    undefined,
  );
  expect(complaintsOf(page)).toEqual([]);
  await press(page, "Delete");
  await saved(page);
});

test("by mouse: a double click, a drag over lines, Alt for characters", async ({ as }) => {
  const page = await as("ann");
  const chart = await openChart(page, "Odd", "odd1");
  const note = await get<Note>(page, `/projects/${chart.project}/notes/${chart.notes[0]}`);
  const points = Array.from(note.text!);
  const box = async (words: string) =>
    page.evaluate((wanted) => {
      const walker = document.createTreeWalker(
        document.querySelector(".text")!,
        NodeFilter.SHOW_TEXT,
      );
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent!.indexOf(wanted);
        if (at < 0) continue;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const { left, right, top, height } = range.getBoundingClientRect();
        return { left, right, middle: top + height / 2 };
      }
      throw new Error(`no ${wanted}`);
    }, words);
  const chosen = async (): Promise<string> => {
    const shown = (await page.locator(".status").textContent())!;
    const [, begin, end] = /characters (\d+)–(\d+)/.exec(shown)!;
    return points.slice(Number(begin), Number(end)).join("");
  };

  const fever = await box("fe\u0301ver");
  await page.mouse.dblclick((fever.left + fever.right) / 2, fever.middle);
  await expect.poll(chosen).toBe("fe\u0301ver");
  await drag(page, await box("nus"), await box("naïv"));
  await expect.poll(chosen).toBe("𝔘nusual naïve");
  await drag(page, await box("beats"), await box("family"));
  await expect.poll(chosen).toBe("beats.\r\n\tTab, then fe\u0301ver and 👨‍👩‍👧 family");
  await page.keyboard.down("Alt");
  await drag(page, await box("nus"), await box("nus"));
  await page.keyboard.up("Alt");
  await expect.poll(chosen).toBe("nus");
  await press(page, "Enter");
  await page.keyboard.type("<img src=x onerror=alert(1)>");
  await pick(page, page.getByRole("option", { name: /unknown code/ }));
  await saved(page);
  expect((await stored(page, chart))[0]).toBe("<img src=x onerror=alert(1)> nus");
  expect(await page.locator(".pane img, .margin img").count()).toBe(0);
  expect(complaintsOf(page)).toEqual([]);
});

async function pick(page: Page, row: Locator): Promise<void> {
  await row.waitFor();
  for (let step = 0; step < 40; step++) {
    if ((await row.getAttribute("aria-selected")) === "true") break;
    await press(page, "ArrowDown");
  }
  await press(page, "Enter");
}

interface Box {
  left: number;
  right: number;
  middle: number;
}

async function drag(page: Page, from: Box, to: Box): Promise<void> {
  await page.mouse.move(from.left + 1, from.middle);
  await page.mouse.down();
  await page.mouse.move(to.right - 1, to.middle, { steps: 4 });
  await page.mouse.up();
}
