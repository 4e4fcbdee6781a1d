import { expect, test } from "vitest";
import type { CodeChoice, CodeCount, Codes } from "../api/types";
import { grouped, rowsOf } from "./choices";

const choice = (rank: number, code: string, more: Partial<CodeChoice> = {}): CodeChoice => ({
  rank,
  system: "ICD-10-CM",
  code,
  name: `name of ${code}`,
  score: null,
  why: "has these words",
  known: true,
  billable: true,
  billed: false,
  pair: null,
  ...more,
});
const count = (code: string, evidence: number, billed = true): CodeCount => ({
  system: "ICD-10-CM",
  code,
  name: `name of ${code}`,
  known: true,
  billed,
  evidence,
});
const found: Codes = {
  shown: 77,
  words: "w",
  codes: ["S1", "S2", "S3", "S4", "S5", "S6"].map((code, at) => choice(at + 1, code)),
};
const codes = [count("B1", 0), count("B2", 2), count("B3", 0), count("X1", 0, false)];

test("digits go to five suggestions, then to billed codes without evidence", () => {
  const rows = rowsOf({ query: "", found, codes, recent: [], systems: ["ICD-10-CM"] });
  expect(rows.map((row) => row.choice.code)).toEqual([
    "S1",
    "S2",
    "S3",
    "S4",
    "S5",
    "B1",
    "B3",
    "S6",
  ]);
  expect(rows.map((row) => row.digit)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(rows[1]!.origin).toEqual({ by: "suggestion", shown: 77, rank: 2 });
  expect(rows[5]!.origin).toEqual({ by: "hand" });
});

test("typing leaves billed codes that fit, and what the server found", () => {
  const typed: Codes = { shown: null, words: "b", codes: [choice(1, "B99"), choice(2, "B1")] };
  const rows = rowsOf({ query: "b", found: typed, codes, recent: [], systems: ["ICD-10-CM"] });
  expect(rows.map((row) => row.choice.code)).toEqual(["B1", "B3", "B99"]);
  expect(rows[2]!.origin).toEqual({ by: "hand", rank: 1 });
});

test("CUI-less is offered where concepts are coded", () => {
  const last = (systems: string[], query = "") =>
    rowsOf({ query, found: null, codes: [], recent: [], systems }).at(-1)?.choice.code;
  expect(last(["UMLS"])).toBe("CUI-less");
  expect(last(["UMLS"], "cui")).toBe("CUI-less");
  expect(last(["UMLS"], "fever")).toBe(undefined);
  expect(last(["ICD-10-CM"])).toBe(undefined);
});

test("no more than nine digits, and groups stay together", () => {
  const many: Codes = {
    ...found,
    codes: Array.from({ length: 20 }, (_, at) => choice(at + 1, `S${at}`)),
  };
  const rows = rowsOf({
    query: "x",
    found: many,
    codes: [],
    recent: [count("R", 1, false)],
    systems: [],
  });
  expect(rows.filter((row) => row.digit !== null)).toHaveLength(9);
  expect(grouped(rows).map(({ rows: some }) => some.length)).toEqual([20]);
});
