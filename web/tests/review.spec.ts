/** Two coders disagree; a reviewer and a supervisor settle it. Nobody touches a mouse. */

import type { Agreement, ChartList, ReviewQueue } from "../src/api/types";
import {
  code,
  complaintsOf,
  enterByKeys,
  expect,
  get,
  look,
  openChart,
  press,
  projectId,
  saved,
  tabTo,
  test,
  textOf,
} from "./fixtures";

test("coders are blind, the reviewer decides, the supervisor has the last word", async ({
  as,
  fresh,
}) => {
  test.setTimeout(240_000);
  const sue = await fresh();
  // The supervisor gives two charts to both.
  await enterByKeys(sue, "sue", "Double", "Team");
  for (const name of ["ann", "bob"]) {
    await tabTo(sue, sue.getByRole("checkbox", { name }));
    await press(sue, "Space");
  }
  await tabTo(sue, sue.getByRole("spinbutton", { name: "Charts" }));
  await sue.keyboard.type("2");
  await press(sue, "Tab");
  await sue.keyboard.type("review");
  await press(sue, "Enter");
  await expect(sue.getByText("2 charts, 4 assignments as “review”.")).toBeVisible();
  const project = await projectId(sue, "Double");

  const ann = await as("ann");
  const bob = await as("bob");
  for (const [page, fever, pain] of [
    [ann, "R50.9", "R07.9"],
    [bob, "R50.81", "R07.89"],
  ] as const) {
    await openChart(page, "Double", "d2");
    await code(page, "fever", fever);
    await saved(page);
    await code(page, "chest pain", pain);
    await press(page, "f");
    await saved(page);
    await openChart(page, "Double", "d3");
    await code(page, "fever", fever);
    await saved(page);
    await press(page, "f");
    await saved(page);
    await expect(page.getByRole("checkbox", { name: /other annotators/ })).toHaveCount(0);
    expect((await page.request.get(`/api/projects/${project}/review`)).status()).toBe(403);
  }

  const rita = await fresh();
  await enterByKeys(rita, "rita", "Double", "Review");
  await expect(textOf(rita)).toBeFocused();
  await expect(rita.getByRole("region", { name: "Annotator A" })).toBeVisible();
  await expect(rita.locator(".margin .tag")).toContainText([/^A /, /^B /]);
  const open = (await get<ReviewQueue>(rita, `/projects/${project}/review?state=open`)).states.open;
  expect(open).toBe(3);
  await look(rita, "review-items");
  await press(rita, "r");
  await rita.keyboard.type("no other cause is named");
  await press(rita, "Enter");
  await expect(textOf(rita)).toBeFocused();
  await press(rita, "a");
  await expect(rita.locator(".status")).toContainText("Decided: accept-A");
  await press(rita, "n");
  await expect(rita.locator(".status")).toContainText("Decided: neither");
  // Say what holds instead: other words, another code.
  await press(rita, "e");
  await expect(rita.getByRole("heading", { name: "Correction" })).toBeVisible();
  await press(rita, "Delete", "Control+Home", "Enter");
  await rita.keyboard.type("Z76.89");
  await rita
    .getByRole("option", { name: /Z76\.89/ })
    .first()
    .waitFor();
  await press(rita, "Enter", "Control+Enter");
  await expect(rita.locator(".status")).toContainText("Decided: edit");
  const after = await get<ReviewQueue>(rita, `/projects/${project}/review`);
  expect(after.states).toMatchObject({ open: 0, settled: 3 });
  const edited = after.items.find((one) =>
    one.decisions.some((decision) => decision.choice === "edit"),
  )!;
  expect(edited.outcome).toMatchObject([{ code: "Z76.89", spans: [[0, 9]] }]);
  expect(after.items.flatMap((one) => one.decisions.map((decision) => decision.why))).toContain(
    "no other cause is named",
  );

  // The supervisor looks at what was settled, and overrides it.
  await tabTo(sue, sue.getByRole("link", { name: "Review", exact: true }));
  await press(sue, "Enter");
  await tabTo(sue, sue.getByLabel("Show"));
  await press(sue, "s");
  await expect(sue.getByRole("heading", { name: "Decisions" })).toBeVisible();
  await tabTo(sue, textOf(sue));
  await press(sue, "o");
  await expect(sue.locator(".status")).toContainText("Decided: both");
  const last = await get<ReviewQueue>(sue, `/projects/${project}/review`);
  expect(
    last.items.flatMap((one) => one.decisions).filter((one) => one.is_supervisor),
  ).toMatchObject([{ choice: "both" }]);

  await tabTo(sue, sue.getByRole("link", { name: "Double", exact: true }));
  await press(sue, "Enter");
  await tabTo(sue, sue.getByRole("link", { name: "Agreement", exact: true }));
  await press(sue, "Enter");
  await expect(sue.getByRole("heading", { name: "ann and bob" })).toBeVisible({ timeout: 20_000 });
  await look(sue, "agreement-groups");
  const { groups } = await get<Agreement>(sue, `/projects/${project}/agreement`);
  await expect(sue.locator("tbody tr")).toHaveCount(Object.keys(groups[0]!.before).length);
  await expect(sue.getByText(/3 settled/)).toBeVisible();
  const { charts } = await get<ChartList>(ann, `/projects/${project}/charts`);
  expect(charts.filter((one) => one.batch === "review")).toHaveLength(2);
  expect([...complaintsOf(sue), ...complaintsOf(rita)]).toEqual([]);
});
