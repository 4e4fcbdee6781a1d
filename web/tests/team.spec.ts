/** What supervisors and admins do: people, roles, assignments, settings, what goes in and comes out. */

import { readFileSync } from "node:fs";
import type { Member, Person, Progress, Project } from "../src/api/types";
import { complaintsOf, expect, get, look, openChart, projectId, test } from "./fixtures";

test("a supervisor invites, gives roles, assigns, and takes people out", async ({ as }) => {
  const page = await as("sue");
  const project = await projectId(page, "Spare");
  await page.goto(`/projects/${project}/team`);
  await page.getByRole("combobox", { name: "Role", exact: true }).selectOption("reviewer");
  await page.getByRole("button", { name: "Create invitation" }).click();
  await expect(page.locator("code.link")).toContainText("/join#");
  await page.goto((await page.locator("code.link").textContent())!);
  await expect(page.getByText(/reviewer/)).toBeVisible();
  await page.goto(`/projects/${project}/team`);
  await page.getByRole("checkbox", { name: "ann" }).check();
  await page.getByRole("checkbox", { name: "bob" }).check();
  await page.getByRole("spinbutton", { name: "Charts" }).fill("3");
  await page.getByLabel("Batch").fill("one");
  await page.getByRole("button", { name: "Assign" }).click();
  await expect(page.getByText("3 charts, 6 assignments as “one”.")).toBeVisible();
  await expect(page.getByRole("row", { name: /^bob coder 3 0 0/ })).toContainText("one 0/3");
  await page.getByRole("combobox", { name: "Role of bob" }).selectOption("reviewer");
  await expect(page.getByText("Saved.")).toBeVisible();
  const members = await get<Member[]>(page, `/projects/${project}/members`);
  expect(members.find((one) => one.name === "bob")!.role).toBe("reviewer");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("row", { name: /^rita/ }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("rita was removed from the project.")).toBeVisible();
  const rita = await as("rita");
  expect((await rita.request.get(`/api/projects/${project}`)).status()).toBe(404);
  // A coder sees how far they are themselves, and nobody else.
  const ann = await as("ann");
  await ann.goto(`/projects/${project}/team`);
  await expect(ann.getByRole("row", { name: /^ann coder 3/ })).toBeVisible();
  await expect(ann.getByRole("heading", { name: "Members" })).toHaveCount(0);
  expect(await get<Progress[]>(ann, `/projects/${project}/progress`)).toHaveLength(1);
  expect([...complaintsOf(page), ...complaintsOf(ann)]).toEqual([]);
});

test("settings are kept, work goes out, pre-annotations come in, reads are on record", async ({
  as,
}) => {
  const page = await as("sue");
  const project = await projectId(page, "Spare");
  await page.goto(`/projects/${project}/settings`);
  await page.getByLabel("Description").fill("For the settings.");
  await page.getByLabel("Evidence").selectOption("complete");
  await page.getByRole("checkbox", { name: "CPT" }).uncheck();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  const kept = await get<Project>(page, `/projects/${project}`);
  expect([kept.about, kept.evidence, kept.systems]).toEqual([
    "For the settings.",
    "complete",
    ["ICD-10-CM", "ICD-9-CM", "UMLS"],
  ]);
  await expect(page.locator("p.lead").first()).toHaveText("For the settings.");
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await expect(page.getByText("Archived. The project")).toBeVisible();
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Spare" })).toBeHidden();
  await page.getByText("Archived (1)").click();
  await page.getByRole("link", { name: "Spare" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByRole("button", { name: "Archive", exact: true })).toBeVisible();

  await page.getByLabel("Format").first().selectOption("jsonl");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("spare.zip");
  expect(readFileSync(await download.path()).includes("spare/notes.jsonl")).toBe(true);

  const said = {
    note_id: "x0a",
    chart_id: "x0",
    annotator: "our model",
    system: "ICD-10-CM",
    code: "R07.9",
    spans: [[0, 9]],
  };
  await page.getByLabel("File").setInputFiles({
    name: "said.jsonl",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(said) + "\n"),
  });
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("1 imported, 0 skipped")).toBeVisible();
  await expect(page.getByRole("row", { name: /^our model 1 0 0 0/ })).toBeVisible();

  const ann = await as("ann");
  await openChart(ann, "Spare", "x0");
  await expect(ann.getByText("by our model")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("row", { name: /ann chart read x0/ }).first()).toBeVisible();
  expect(complaintsOf(page)).toEqual([]);
});

test("an admin makes a project, and turns an account off", async ({ as }) => {
  const page = await as("adam");
  await page.goto("/admin");
  await page.getByLabel(/Corpus: a zip file/).setInputFiles({
    name: "notes.jsonl",
    mimeType: "application/json",
    buffer: Buffer.from('{"note_id": "1", "chart_id": "1", "text": "Fever"}\n'),
  });
  await page.getByLabel("Format").selectOption("jsonl");
  await page.getByLabel("Name", { exact: true }).last().fill("Uploaded");
  // Suggestions would draw two coders to the same codes: they are for single coding, unless asked for.
  const suggests = page.getByRole("checkbox", { name: /Pre-annotate the notes/ });
  await expect(suggests).toBeChecked();
  await page.getByLabel("Coders per chart").last().fill("2");
  await expect(suggests).not.toBeChecked();
  await page.getByLabel("Coders per chart").last().fill("1");
  await expect(suggests).toBeChecked();
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page).toHaveURL(/\/projects\/\d+\/team$/);
  await expect(page.getByRole("heading", { name: "Uploaded" })).toBeVisible();
  const project = await projectId(page, "Uploaded");
  await page.getByLabel("Add").selectOption({ label: "bob" });
  await page.getByRole("button", { name: "Add as coder" }).click();
  await expect(page.getByRole("combobox", { name: "Role of bob" })).toHaveValue("coder");
  expect((await get<Project>(page, `/projects/${project}`)).charts).toBe(1);

  await page.goto(`/projects/${project}/settings`);
  await expect(page.getByText(/codebook: 1 of 1 notes, [1-9]/)).toBeVisible({ timeout: 40_000 });
  await page.getByRole("button", { name: "Switch off for new notes" }).click();
  await expect(page.getByText("No model pre-annotates this project.")).toBeVisible();

  await page.goto("/admin");
  const row = page.getByRole("row", { name: /^sue/ });
  await row.getByRole("button", { name: "Deactivate" }).click();
  await expect(row).toContainText("deactivated");
  const sue = await as("sue");
  expect((await sue.request.get("/api/me")).status()).toBe(401);
  await row.getByRole("button", { name: "Activate" }).click();
  await expect(row).not.toContainText("deactivated");
  const people = await get<Person[]>(page, "/people");
  expect(people.find((one) => one.name === "sue")!.is_active).toBe(true);

  // Of a project they do not belong to they see the name, and give roles in it.
  const spare = await projectId(page, "Spare");
  expect((await page.request.get(`/api/projects/${spare}`)).status()).toBe(404);
  await page.getByRole("button", { name: "Members of Spare" }).click();
  await page.getByLabel("Add").selectOption({ label: "adam" });
  await page.getByRole("button", { name: "Add as coder" }).click();
  await expect(page.getByRole("combobox", { name: "Role of adam" })).toHaveValue("coder");
  await expect(page.getByRole("row", { name: /^Spare 8 coder/ })).toBeVisible();
  await look(page, "admin-members");
  expect(complaintsOf(page)).toEqual([]);
});
