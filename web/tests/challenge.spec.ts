/** A shared task: the release, a submission with its report, the ranking once it is published. */

import type { Page } from "@playwright/test";
import { complaintsOf, expect, look, test } from "./fixtures";

async function send(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel("File")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Submit" }).click();
}

const answers = (codes: readonly string[]): string =>
  "document,code\n" + codes.map((code, at) => `doc${at + 6},${code}\n`).join("");
const RIGHT = ["R05.9", "R50.9", "R05.9", "R50.9", "R05.9", "R50.9"];

test("teams send, organizers publish", async ({ as }) => {
  test.setTimeout(120_000);
  const ann = await as("ann");
  await ann.goto("/");
  await ann.getByRole("link", { name: "fever" }).click();
  await expect(ann.getByText("assign 2 codes")).toBeVisible();
  const [download] = await Promise.all([
    ann.waitForEvent("download"),
    ann.getByRole("link", { name: "Download the release" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("fever-release.zip");

  await send(ann, "bad.csv", "document,code\ndoc6,E11.9\ndoc6,R50.9\nelsewhere,<b>R50.9</b>\n");
  await expect(ann.getByText(/^Rejected: \d errors/)).toBeVisible();
  const report = ann.getByRole("region", { name: "Validation of bad.csv" });
  await expect(report).toContainText("code outside the label set, line 2");
  await expect(report).toContainText("unknown document, line 4");
  await look(ann, "challenge-report");
  await send(ann, "good.csv", answers(RIGHT));
  await expect(ann.getByText(/^Accepted as attempt 1 of ann: 6 documents, 6 codes/)).toBeVisible();
  await expect(ann.getByRole("row", { name: /ann codes ✓ attempt 1 good\.csv 6 6/ })).toBeVisible();
  await expect(ann.getByText("The ranking appears once the organizers publish it.")).toBeVisible();

  const bob = await as("bob");
  await bob.goto("/challenges/fever");
  await send(bob, "half.csv", answers(RIGHT.map(() => "R50.9")));
  await expect(bob.getByText(/^Accepted as attempt 1 of bob/)).toBeVisible();
  await expect(bob.getByRole("cell", { name: "ann" })).toHaveCount(0);

  // A file with one document does not take the place of a good run, unless that is meant.
  await send(ann, "one.csv", "document,code\ndoc6,R50.9\n");
  await expect(ann.getByText(/^Rejected: 1 error/)).toBeVisible();
  await expect(ann.getByText(/5 of the 6 test documents are missing/)).toBeVisible();
  await expect(ann.getByRole("checkbox", { name: /missing on purpose/ })).not.toBeChecked();
  await ann.getByLabel("Description of the system").fill("Rules, by hand.");
  await ann.getByRole("button", { name: "Send the description" }).click();
  await expect(ann.getByText("The description is recorded.")).toBeVisible();

  // A deadline that has passed, and one that is to come.
  const adam = await as("adam");
  await adam.goto("/challenges/fever");
  const deadline = async (at: string): Promise<void> => {
    await adam.getByRole("combobox", { name: /^Date/ }).selectOption("closing");
    await adam.getByLabel("When, with time zone").fill(at);
    await adam.getByRole("button", { name: "Change the date" }).click();
    await expect(adam.getByText("Date changed. The change is recorded.")).toBeVisible();
  };
  await deadline("2020-03-18 23:59 AoE");
  await bob.reload();
  await expect(bob.getByText("Submissions closed on 2020-03-18 23:59 UTC-12:00.")).toBeVisible();
  await expect(bob.getByRole("button", { name: "Submit" })).toHaveCount(0);
  await look(bob, "challenge-closed");
  await deadline("");
  await bob.reload();
  await expect(bob.getByRole("button", { name: "Submit" })).toBeVisible();
  await expect(adam.getByRole("button", { name: "Publish ranking" })).toBeDisabled();
  await adam.getByRole("checkbox", { name: /publishing closes/ }).check();
  await adam.getByRole("button", { name: "Publish ranking" }).click();
  await expect(adam.getByText("Published. The challenge is closed to submissions.")).toBeVisible();

  await bob.reload();
  await expect(bob.getByRole("row", { name: /^1 (\(\d–\d\) )?ann 1\.000/ })).toBeVisible();
  await expect(bob.getByRole("row", { name: /^2 (\(\d–\d\) )?bob \(you\) 0\.500/ })).toBeVisible();
  await expect(bob.getByRole("row", { name: /^– a person human 0\.500/ })).toBeVisible();
  await expect(bob.getByRole("img", { name: "cost sensitive against micro F1" })).toBeVisible();
  await expect(bob.getByRole("button", { name: "Submit" })).toHaveCount(0);
  await expect(bob.getByText("ann: description of the system")).toBeVisible();
  await look(bob, "challenge-ranking");
  // To somebody who is in no team there is no such challenge.
  const rita = await as("rita");
  await rita.goto("/challenges/fever");
  await expect(rita.getByText("Challenge not found, or your team is not in it.")).toBeVisible();
  expect([...complaintsOf(ann), ...complaintsOf(bob), ...complaintsOf(adam)]).toEqual([]);
});
