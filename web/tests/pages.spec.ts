/** Every page, light and dark: nothing serious for axe, nothing for the policy to stop. */

import {
  complaintsOf,
  expect,
  goTo,
  look,
  openChart,
  press,
  projectId,
  test,
  textOf,
  watch,
} from "./fixtures";

test.describe.configure({ timeout: 120_000 });
test("login and invitation", async ({ page, as }) => {
  watch(page);
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Log in" })).toBeVisible();
  await look(page, "login");
  const adam = await as("adam");
  await adam.goto("/admin");
  await adam.getByLabel("Name").first().fill("nora");
  await adam.getByRole("button", { name: "Create invitation" }).click();
  const link = (await adam.locator("code.link").textContent())!;
  await look(adam, "admin");
  await page.goto(link);
  await expect(page.getByText("Your user name is nora.")).toBeVisible();
  await look(page, "join");
  await page.getByLabel("Password", { exact: true }).fill("a long enough password");
  await page.getByLabel("Repeat the password").fill("a long enough password");
  await press(page, "Enter");
  await expect(page.getByText("You are not a member of any project yet.")).toBeVisible();
  await page.goto("/account");
  await expect(page.getByRole("heading", { name: "Change password" })).toBeVisible();
  await look(page, "account");
  expect([...complaintsOf(page), ...complaintsOf(adam)]).toEqual([]);
});

test("an address that leads nowhere", async ({ as }) => {
  const page = await as("ann");
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await look(page, "unknown");
  await page.goto("/projects/999999");
  await expect(page.getByRole("alert")).toHaveText(
    "Project not found, or you are not a member of it.",
  );
  await look(page, "no-project");
  expect(complaintsOf(page)).toEqual([]);
});

test("the pages of a project", async ({ as }) => {
  const page = await as("sue");
  const project = await projectId(page, "Small");
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Small" })).toBeVisible();
  await look(page, "home");
  for (const [path, name] of [
    ["", "Charts"],
    ["/guidelines", "Guidelines"],
    ["/team", "Assign charts"],
    ["/settings", "Export"],
    ["/agreement", "Agreement"],
  ]) {
    await page.goto(`/projects/${project}${path}`);
    await expect(page.getByRole("heading", { name: name! }).first()).toBeVisible({
      timeout: 20_000,
    });
    await page.waitForLoadState("networkidle");
    await look(page, `project${path!.replace("/", "-")}`);
  }
  await page.goto(`/projects/${project}/guidelines`);
  await expect(page.getByText("<script>window.hacked = 1</script>")).toBeVisible();
  await page.goto(`/projects/${project}`);
  await expect(page.getByText("<b>not bold</b>")).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBe(
    undefined,
  );
  expect(complaintsOf(page)).toEqual([]);
});

test("the chart, the code box and the dialogs", async ({ as }) => {
  const page = await as("ann");
  await openChart(page, "Small", "s5");
  await press(page, "]");
  await goTo(page, "hypertension");
  await look(page, "chart");
  await press(page, "Enter");
  await page.locator(".choice").first().waitFor();
  await look(page, "code-box");
  await press(page, "Escape");
  await expect(textOf(page)).toBeFocused();
  await press(page, "?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await look(page, "keys");
  expect(complaintsOf(page)).toEqual([]);
});

test("the review, with its help", async ({ as }) => {
  const page = await as("rita");
  await page.goto(`/projects/${await projectId(page, "Double")}/review`);
  await expect(page.getByRole("heading", { name: "Disagreements" })).toBeVisible();
  await page.getByLabel("Show").selectOption("");
  await page.waitForLoadState("networkidle");
  await look(page, "review");
  expect(complaintsOf(page)).toEqual([]);
});
