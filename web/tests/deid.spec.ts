/** The review of what identifies people, by keyboard. */

import { readFileSync } from "node:fs";
import type { Findings } from "../src/api/types";
import {
  complaintsOf,
  enterByKeys,
  expect,
  get,
  look,
  press,
  projectId,
  tabTo,
  test,
  textOf,
} from "./fixtures";

test("look, decide with one key each, add what was missed, take the decisions out", async ({
  fresh,
  as,
}) => {
  const sue = await fresh();
  await enterByKeys(sue, "sue", "Names", "De-identification");
  await tabTo(sue, sue.getByRole("button", { name: "Find identifiers" }));
  await press(sue, "Enter");
  await expect(sue.getByText("2 notes searched")).toBeVisible({ timeout: 20_000 });
  const project = await projectId(sue, "Names");
  const path = `/projects/${project}/deid?doubtful=false&limit=100`;

  // The reviewer goes through everything, the certain too.
  const rita = await fresh();
  await enterByKeys(rita, "rita", "Names", "De-identification");
  await tabTo(rita, rita.getByRole("checkbox", { name: "Show certain findings" }));
  await press(rita, "Space");
  const found = await get<Findings>(rita, path);
  expect(found.items.map((one) => one.words)).toContain("03/04/2019");
  await expect(rita.locator(".row[aria-current]")).toContainText(found.items[0]!.words);
  await tabTo(rita, textOf(rita));
  await look(rita, "deid");
  await press(rita, "k");
  await expect(rita.locator(".status")).toContainText("Decided: keep");
  await press(rita, "g");
  await expect(rita.locator(".status")).toContainText("Decided: generalize");
  await press(rita, "p", "p", "w");
  await rita.keyboard.type("Dr. Nobody");
  await press(rita, "Enter");
  await expect(rita.locator(".status")).toContainText("Decided: replace");
  await expect(textOf(rita)).toBeFocused();
  // Zorblax is a name that no recognizer knows: at the second line, six words on.
  await press(rita, "Control+Home", "ArrowDown");
  await press(rita, ...Array<string>(5).fill("ArrowRight"), "m");
  await expect(rita.getByRole("dialog", { name: "Missed identifier" })).toContainText("Zorblax");
  await look(rita, "deid-missed");
  await press(rita, "1");
  await expect(rita.locator(".status")).toContainText("Added as NAME");
  const after = await get<Findings>(rita, path);
  expect(after.states.decided).toBe(3);
  expect(
    after.items.filter((one) => one.decision).map((one) => [one.words, one.decision!.choice]),
  ).toEqual([
    [found.items[0]!.words, "replace"],
    [found.items[1]!.words, "generalize"],
    ["Zorblax", "replace"],
  ]);
  expect(after.items[0]!.decision!.replacement).toBe("Dr. Nobody");

  const [download] = await Promise.all([
    sue.waitForEvent("download"),
    sue.getByRole("link", { name: "Download decisions (CSV)" }).press("Enter"),
  ]);
  const rows = readFileSync(await download.path(), "utf8");
  expect(rows).toContain("new,p0,NAME");
  expect(rows).toContain("Dr. Nobody");
  const ann = await as("ann");
  expect((await ann.request.get(`/api${path}`)).status()).toBe(403);
  expect([...complaintsOf(rita), ...complaintsOf(sue)]).toEqual([]);
});
