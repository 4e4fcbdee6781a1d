import { expect, test } from "vitest";
import { offsetsOf } from "../text/offsets";
import { merged } from "./changes";
import { itemOver, itemsOf, itemsOfSides, neighbor } from "./items";
import { annotation, desk } from "./testing";

test("marks are in units, decided suggestions are not marked", () => {
  const note = { ...desk([annotation("a", { spans: [[2, 7]] })]).notes.get(11)!, text: "🫀 fever" };
  const items = itemsOf(note, offsetsOf(note.text), false);
  expect(items.map(({ key, ranges }) => [key, ranges])).toEqual([
    ["ma", [[3, 8]]],
    ["g5", [[7, 10]]],
  ]);
  expect(items.map(({ tag }) => tag.endsWith("?"))).toEqual([false, true]);
  note.sheet.given[0]!.verdict = "rejected";
  expect(itemsOf(note, offsetsOf(note.text), false).map(({ key }) => key)).toEqual(["ma"]);
});

test("the innermost mark is the one meant, and j and k go through all in order", () => {
  const note = desk([
    annotation("out", { spans: [[0, 15]] }),
    annotation("in", { spans: [[6, 9]] }),
  ]).notes.get(11)!;
  const items = itemsOf(
    { ...note, sheet: { ...note.sheet, given: [] } },
    offsetsOf(note.text!),
    false,
  );
  expect(itemOver(items, [6, 7])?.key).toBe("min");
  expect(itemOver(items, [0, 1])?.key).toBe("mout");
  expect(neighbor(items, items[0]!, 0, 1)?.key).toBe("min");
  expect(neighbor(items, null, 3, 1)?.key).toBe("min");
  expect(neighbor(items, null, 3, -1)?.key).toBe("mout");
  expect(neighbor(items, items[0]!, 0, -1)).toBe(null);
});

test("annotations of annotators carry their letters", () => {
  const said = {
    note: 11,
    spans: [[0, 5]] as [number, number][],
    system: "ICD-10-CM",
    code: "I10",
    name: null,
    known: false,
  };
  const items = itemsOfSides(
    [[said], [said], [{ ...said, note: 12 }], null, [said]],
    11,
    offsetsOf("Fever"),
  );
  expect(items.map(({ tag, isFlagged }) => [tag, isFlagged])).toEqual([
    ["A I10", true],
    ["B I10", true],
    ["E I10", true],
  ]);
});

test("ranges that touch are one", () => {
  expect(
    merged([
      [8, 9],
      [0, 3],
      [3, 5],
      [4, 6],
    ]),
  ).toEqual([
    [0, 6],
    [8, 9],
  ]);
});
