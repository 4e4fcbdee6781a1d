/** The whole task of a coder, by keyboard alone. */

import type { Chart } from "../src/api/types";
import {
  complaintsOf,
  enterByKeys,
  expect,
  get,
  goTo,
  look,
  openChart,
  press,
  saved,
  stored,
  test,
  textOf,
  watch,
} from "./fixtures";

test("from the login to a finished chart without a mouse", async ({ page }) => {
  const complaints = watch(page);
  await enterByKeys(page, "ann", "Small", "s0");
  await expect(textOf(page)).toBeFocused();

  // HISTORY…, then down to the sentence and along to "essential".
  await press(page, "PageDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight");
  await expect(page.locator(".status")).toContainText("characters 60–69");
  // Four keys after the cursor is there: Shift → takes "hypertension", Enter, and a digit.
  await press(page, "Shift+ArrowRight", "Enter");
  const row = page.getByRole("option", { name: /I10/ }).first();
  await expect(row).toBeVisible();
  const digit = (await row.locator("kbd").textContent()) ?? "";
  expect(digit).toMatch(/^[1-9]$/);
  await press(page, digit);
  await expect(textOf(page)).toBeFocused();
  await saved(page);
  await expect(page.getByText("1 billed code has no evidence yet.")).toBeVisible();

  await press(page, "f");
  await saved(page);
  await expect(page.getByText("This chart is finished.")).toBeVisible();
  await press(page, "Enter");
  await expect(page.locator(".status")).toContainText("Press f to reopen it");
  expect(complaints).toEqual([]);
});

test("codes by words, a free code, a number, several codes on the same words, the ICD pair", async ({
  as,
}) => {
  const page = await as("ann");
  const chart = await openChart(page, "Small", "s1");
  await goTo(page, "chest pain");
  await press(page, "Enter");
  await page.keyboard.type("chest pain unspecified");
  await page
    .getByRole("option", { name: /R07\.9/ })
    .first()
    .waitFor();
  await pickRow(page, /R07\.9/, "Shift+Enter");
  await press(page, "Control+a");
  await page.keyboard.type("ZZZ-made-up");
  await expect(page.getByRole("option", { name: /unknown code/ })).toBeVisible();
  await pickRow(page, /ZZZ-made-up/i, "Enter");
  await press(page, "Enter", "/");
  await page.keyboard.type("99291");
  await pickRow(page, /99291/, "Enter");
  await press(page, "Enter");
  await page.keyboard.type("cui-less");
  await pickRow(page, /CUI-less/, "Enter");
  await saved(page);
  const codes = (await stored(page, chart)).map((one) => one.split(" ")[0]);
  expect(codes.toSorted()).toEqual(["99291", "CUI-less", "R07.9", "ZZZ-made-up"].toSorted());
  await expect(page.getByText("⚑ unknown code").first()).toBeVisible();

  await goTo(page, "fever");
  await press(page, "Enter");
  await page.keyboard.type("R50.9");
  await page.getByRole("option", { name: /R50\.9.*↔ ICD-9-CM 780\.60/s }).waitFor();
  await pickRow(page, /^R50\.9/, "Alt+Enter");
  await saved(page);
  expect((await stored(page, chart)).filter((one) => one.endsWith("fever")).toSorted()).toEqual([
    "780.60 fever",
    "R50.9 fever",
  ]);
  expect(complaintsOf(page)).toEqual([]);
});

test("once more, everywhere with a look first, and all of it undone and redone as steps", async ({
  as,
}) => {
  const page = await as("ann");
  const chart = await openChart(page, "Small", "s2");
  await goTo(page, "essential hypertension");
  await press(page, "Enter");
  await pickRow(page, /I10/, "Enter");
  await goTo(page, "chest pain");
  await press(page, "r");
  await saved(page);
  expect(await stored(page, chart)).toEqual(["I10 essential hypertension", "I10 chest pain"]);
  await press(page, "u");
  await saved(page);
  await goTo(page, "essential hypertension");
  await press(page, "e");
  await expect(
    page.getByRole("button", { name: "Apply to 2 occurrences in 2 notes (Enter)" }),
  ).toBeFocused();
  await look(page, "everywhere");
  await press(page, "Enter");
  await saved(page);
  const all = [
    ["I10 essential hypertension", "I10 essential hypertension"],
    ["I10 Essential hypertension"],
  ];
  expect([await stored(page, chart, 0), await stored(page, chart, 1)]).toEqual(all);
  await press(page, "Control+z");
  await saved(page);
  await expect.poll(() => stored(page, chart, 1)).toEqual([]);
  expect(await stored(page, chart, 0)).toHaveLength(1);
  // Across a reload, and as far as one likes.
  await page.reload();
  await expect(textOf(page)).toBeFocused();
  await press(page, "Shift+U");
  await expect.poll(() => stored(page, chart, 1)).toEqual(all[1]);
  await press(page, "u", "u");
  await expect.poll(async () => (await stored(page, chart, 0)).length).toBe(0);
  await press(page, "Shift+U", "Shift+U", "Shift+U");
  await expect(page.locator(".status")).toContainText("Nothing to redo.");
});

test("suggestions: accept, change, reject with one key each; codes without evidence follow", async ({
  as,
}) => {
  const page = await as("ann");
  const chart = await openChart(page, "Small", "s3");
  await press(page, "]");
  await expect(page.getByRole("heading", { name: /Nursing/ })).toBeVisible();
  await press(page, "j", "a");
  await expect.poll(() => stored(page, chart, 1)).toEqual(["I10 hypertension"]);
  await press(page, "j", "j", "x");
  await expect(page.getByText("Rejected (1)")).toBeVisible();
  await press(page, "u");
  await saved(page);
  await press(page, "k", "j", "v");
  await page.keyboard.type("J15.9");
  await pickRow(page, /J15\.9/, "Enter");
  await expect.poll(() => stored(page, chart, 1)).toEqual(["I10 hypertension", "J15.9 Pneumonia"]);
  const { codes } = await get<Chart>(page, `/projects/${chart.project}/charts/${chart.chart}`);
  expect(codes.find((one) => one.code === "I10")!.evidence).toBe(1);
  await expect(page.getByText("1 billed code has no evidence yet.")).toBeVisible();
});

test("evidence in several places, a comment, another code, a removal", async ({ as }) => {
  const page = await as("ann");
  const chart = await openChart(page, "Small", "s4");
  await goTo(page, "left arm");
  await press(page, "+");
  await goTo(page, "left leg");
  await press(page, "Enter");
  await page.keyboard.type("M79.6");
  await pickRow(page, /M79\.6/, "Enter");
  await saved(page);
  expect((await stored(page, chart))[0]).toMatch(/^M79\.6\S* left arm … left leg$/);
  await goTo(page, "Pain");
  await press(page, "Shift+Enter");
  await expect
    .poll(() => stored(page, chart))
    .toEqual([expect.stringMatching(/ pain … left arm … left leg$/)]);
  await press(page, "c");
  await page.keyboard.type("worse at night");
  await look(page, "comment");
  await press(page, "Enter");
  await expect(page.getByText("worse at night")).toBeVisible();
  await press(page, "v");
  await page.keyboard.type("R52");
  await pickRow(page, /R52/, "Enter");
  await expect.poll(() => stored(page, chart)).toEqual(["R52 pain … left arm … left leg"]);
  await press(page, "Delete");
  await expect.poll(() => stored(page, chart)).toEqual([]);
});

test("hits are annotated from the list", async ({ as }) => {
  const page = await as("ann");
  const chart = await openChart(page, "Small", "s5");
  await goTo(page, "hypertension");
  await expect(page.locator(".hits li")).toHaveCount(3);
  await press(page, "n", "n");
  await expect(page.getByRole("heading", { name: /Nursing/ })).toBeVisible();
  const second = page.locator(".hits button").nth(1);
  await second.focus();
  await press(page, "Enter");
  await pickRow(page, /I10/, "Enter");
  await page.locator(".hits button").nth(2).focus();
  await press(page, "r");
  await saved(page);
  expect([await stored(page, chart, 0), await stored(page, chart, 1)]).toEqual([
    ["I10 hypertension"],
    ["I10 hypertension"],
  ]);
});

/** Go down to a code in the code box, and press a key. */
async function pickRow(
  page: import("@playwright/test").Page,
  name: RegExp,
  key: string,
): Promise<void> {
  await page.locator(".choice .code").filter({ hasText: name }).first().waitFor();
  for (let step = 0; step < 40; step++) {
    const at = page.locator("[role=option][aria-selected=true] .code");
    if (name.test(((await at.textContent()) ?? "").trim())) break;
    await press(page, "ArrowDown");
  }
  await press(page, key);
}
