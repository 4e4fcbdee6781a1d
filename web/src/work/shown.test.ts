import { afterAll, beforeAll, expect, test } from "vitest";
import { counted, dayOf, measured, momentOf } from "./shown";

const before = process.env["TZ"];
beforeAll(() => {
  process.env["TZ"] = "Europe/Berlin";
});
afterAll(() => {
  process.env["TZ"] = before;
});

test("moments are told by the reader's clock", () => {
  expect(momentOf("2026-03-04T23:05:09.123456+00:00")).toBe("2026-03-05 00:05");
  expect(momentOf("2026-07-04T08:05:09Z", true)).toBe("2026-07-04 10:05:09");
});

test("days of notes stay as they were written", () => {
  expect(dayOf("2101-01-02T23:59:00")).toBe("2101-01-02");
  expect(dayOf(null)).toBe("");
});

test("one is not several", () => {
  expect(counted(1, "chart")).toBe("1 chart");
  expect(counted(1200, "chart")).toBe("1,200 charts");
  expect(counted(0, "box", "boxes")).toBe("0 boxes");
});

test("a metric has its interval, or the reason why it has no value", () => {
  expect(measured({ value: -0.2309, interval: [-0.34, -0.149], undefined: null })).toBe(
    "-0.231 (-0.340 to -0.149)",
  );
  expect(measured({ value: null, interval: null, undefined: "no units" })).toBe(
    "undefined: no units",
  );
});
