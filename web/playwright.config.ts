import { defineConfig } from "@playwright/test";
import { findChromium } from "./tests/chromium";

export default defineConfig({
  testDir: "tests",
  // One workbench for all: each test has charts of its own.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  outputDir: "test-results",
  use: {
    launchOptions: { ...(await findChromium()), args: ["--no-sandbox"] },
    viewport: { width: 1440, height: 900 },
    trace: "off",
  },
});
