import { expect, test } from "vitest";
import type { Finding } from "../api/types";
import { offsetsOf } from "../text/offsets";
import { itemsOfFindings } from "./hiding.svelte";

const finding = (span: [number, number], choice: "keep" | null): Finding => ({
  item_id: `d${span[0]}`,
  chart: 1,
  chart_id: "c",
  note: 1,
  note_id: "n",
  span,
  kind: "DATE",
  before: "",
  words: "",
  after: "",
  doubt: "",
  hides: true,
  found_by: null,
  decision:
    choice === null
      ? null
      : { id: 1, person: "rita", choice, replacement: null, why: "", time: "2101-01-01" },
  decisions: 0,
});

test("a place lies on its words, also behind an emoji, and says what was decided", () => {
  const text = "🫀 in May";
  const [open, decided] = itemsOfFindings(
    [finding([5, 8], null), finding([2, 4], "keep")],
    offsetsOf(text),
  );
  expect(text.slice(...open!.ranges[0]!)).toBe("May");
  expect([open!.kind, open!.tag]).toEqual(["given", "DATE?"]);
  expect(text.slice(...decided!.ranges[0]!)).toBe("in");
  expect([decided!.kind, decided!.tag]).toEqual(["mine", "DATE keep"]);
});
