/** The first run, alone: the printed address, the sample projects, the tour. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@playwright/test";
import { freePort, look } from "./fixtures";

const AUSCULT = join(dirname(process.env["PYTHON"] ?? "../.venv/bin/python"), "auscult");

test("one command, one address, and a tour through a chart that never was", async ({ page }) => {
  test.setTimeout(240_000);
  const folder = mkdtempSync(join(tmpdir(), "auscult-first-"));
  const server = spawn(
    AUSCULT,
    ["serve", join(folder, "work"), "--port", String(await freePort())],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let said = "";
      server.once("exit", () => reject(new Error(`it ended: ${said}`)));
      server.stdout.on("data", (data: Buffer) => {
        said += data.toString();
        const found = /http:\S+/.exec(said);
        if (found) resolve(found[0]);
      });
    });
    await expect(async () => void (await page.goto(address))).toPass({ timeout: 60_000 });
    expect(page.url()).not.toContain("token");
    const sample = page.getByRole("link", { name: "Sample: the synthetic hospital" });
    await expect(sample).toBeVisible();
    await look(page, "first-home");
    await sample.click();
    await page.locator("tbody a").nth(1).click();
    const tour = page.getByRole("region", { name: "Tour" });
    await expect(tour).toContainText("1 of 6");
    await look(page, "tour");
    for (let step = 2; step <= 6; step++) {
      await tour.getByRole("button", { name: "Next" }).click();
      await expect(tour).toContainText(`${step} of 6`);
      await expect(page.getByRole("textbox", { name: /Text of the note/ })).toBeFocused();
    }
    await tour.getByRole("button", { name: "Done" }).click();
    await expect(tour).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole("button", { name: "Tour" })).toBeVisible();
    await expect(tour).toHaveCount(0);
    await page.context().clearCookies();
    await page.goto(new URL("/", address).href);
    await expect(page.getByRole("heading", { name: "Log in" })).toBeVisible();
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
