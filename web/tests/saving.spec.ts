/** Nothing is lost, nothing is done twice, nothing is overwritten silently. */

import type { Note } from "../src/api/types";
import {
  code,
  expect,
  get,
  look,
  openChart,
  PASSWORD,
  press,
  saved,
  stored,
  test,
  textOf,
} from "./fixtures";

test("without a network changes wait, survive a reload, and are saved once it is back", async ({
  as,
}) => {
  const page = await as("ann");
  const chart = await openChart(page, "Double", "d0");
  await code(page, "fever", "R50.9");
  await saved(page);
  // Reading works on, writing does not: so the page can be loaded again meanwhile.
  await page.route("**/steps", (route) => route.abort());
  await press(page, "ArrowRight", "r");
  await expect(page.locator(".saving")).toContainText("Not saved: 1 pending");
  await expect(page.getByText("not saved yet")).toBeVisible();
  await look(page, "offline");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.locator(".saving")).toContainText("Not saved: 1 pending");
  await expect(page.getByText("not saved yet")).toBeVisible();
  expect(await stored(page, chart)).toEqual(["R50.9 fever"]);
  await page.unroute("**/steps");
  await page.getByRole("button", { name: "Retry" }).click();
  await saved(page);
  expect(await stored(page, chart)).toEqual(["R50.9 fever", "R50.9 Pain"]);
  expect(
    await page.evaluate(
      () => Object.keys(localStorage).filter((key) => key.includes("letter")).length,
    ),
  ).toBe(0);
});

test("a change whose answer got lost is done once", async ({ as }) => {
  const page = await as("bob");
  const chart = await openChart(page, "Double", "d0");
  let lost = 0;
  await page.route("**/steps", async (route) => {
    await route.fetch();
    if (lost++ < 2) await route.abort();
    else await route.continue();
  });
  await code(page, "fever", "R50.9");
  await saved(page);
  expect(lost).toBeGreaterThan(1);
  expect(await stored(page, chart)).toEqual(["R50.9 fever"]);
});

test("what was never sent is taken back by undo, and redone", async ({ as }) => {
  const page = await as("bob");
  const chart = await openChart(page, "Double", "d1");
  await code(page, "fever", "R50.9");
  await saved(page);
  await page.context().setOffline(true);
  await press(page, "ArrowRight", "r", "ArrowRight", "r");
  await expect(page.locator(".saving")).toContainText("2 pending");
  await press(page, "u");
  await expect(page.locator(".saving")).toContainText("1 pending");
  await press(page, "Shift+U");
  await expect(page.locator(".saving")).toContainText("2 pending");
  // It goes on by itself.
  await page.context().setOffline(false);
  await saved(page);
  expect(await stored(page, chart)).toEqual(["R50.9 fever", "R50.9 Pain", "R50.9 in"]);
});

test("two tabs on one note: the other sees a change at once, and a conflict is shown, never overwritten", async ({
  as,
}) => {
  const first = await as("ann");
  const chart = await openChart(first, "Double", "d1");
  const second = await first.context().newPage();
  await openChart(second, "Double", "d1");
  await code(first, "fever", "R50.9");
  await saved(first);
  await expect(second.locator(".mark-row .code")).toHaveText(["R50.9"]);

  // The second tab does not hear of the next change, and makes one on what it shows.
  await second.route("**/live*", (route) => route.abort());
  await second.reload();
  await expect(textOf(second)).toBeFocused();
  await code(first, "chest pain", "R07.9");
  await saved(first);
  await code(second, "left arm", "M79.602");
  const alert = second.getByRole("alert", { name: "A change was not saved" });
  await expect(alert).toContainText("Changed elsewhere.");
  await expect(second.locator(".saving")).not.toContainText("✓");
  await expect(second.locator(".mark-row .code").filter({ hasText: "R07.9" })).toBeVisible();
  expect((await stored(first, chart)).length).toBe(2);
  await look(second, "conflict");
  await alert.getByRole("button", { name: "Save my changes too" }).click();
  await saved(second);
  expect(await stored(first, chart)).toEqual([
    "R07.9 chest pain",
    "R50.9 fever",
    "M79.602 left arm",
  ]);
});

test("a session that has ended keeps the work until the login", async ({ as }) => {
  const page = await as("bob");
  const chart = await openChart(page, "Double", "d1");
  await page.context().clearCookies();
  await press(page, "j", "c");
  await page.keyboard.type("said later");
  await press(page, "Enter");
  const again = page.getByRole("region", { name: "Log in again" });
  await expect(again).toContainText("1 unsaved change is kept");
  await look(page, "login-again");
  await again.getByLabel("Name").fill("bob");
  await again.getByLabel("Password").fill(PASSWORD);
  await press(page, "Enter");
  await saved(page);
  const note = await get<Note>(page, `/projects/${chart.project}/notes/${chart.notes[0]}`);
  expect(note.sheet.annotations.map((one) => one.comment)).toContain("said later");
});
