import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "./lines";
import { byLine, looksSame, segmentsOf, stripsOf, type Item } from "./segments";

const TEXT = "one two three four\nfive six seven eight\nnine ten";
const range = fc
  .tuple(fc.nat(TEXT.length), fc.nat(TEXT.length))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
const items = fc
  .array(fc.array(range, { minLength: 1, maxLength: 2 }), { maxLength: 12 })
  .map((all) =>
    all.map((ranges, at): Item => ({
      key: `k${at}`,
      kind: "mine",
      ranges,
      tag: "T",
      color: 1,
      isFlagged: false,
    })),
  );

test("two strips on one lane never overlap", () => {
  fc.assert(
    fc.property(items, (some) => {
      const strips = stripsOf(some);
      for (const a of strips)
        for (const b of strips)
          if (a !== b && a.lane === b.lane) expect(a.end <= b.begin || b.end <= a.begin).toBe(true);
    }),
  );
});

test("the segments of a line are the line, each under exactly the marks that cover it", () => {
  fc.assert(
    fc.property(items, (some) => {
      const lines = linesOf(TEXT);
      const strips = byLine(stripsOf(some), lines);
      lines.forEach((line, at) => {
        const segments = segmentsOf(line, strips.get(at) ?? []);
        expect(segments.map(({ begin, end }) => TEXT.slice(begin, end)).join("")).toBe(
          TEXT.slice(line.begin, line.end),
        );
        for (const { begin, end, strips: over } of segments) {
          for (let unit = begin; unit < end; unit++) {
            const expected = some.flatMap((one) =>
              one.ranges.filter(([from, to]) => from <= unit && unit < to),
            );
            expect(over.length).toBe(expected.length);
          }
        }
      });
    }),
  );
});

test("a nested span is on a lane of its own, and only its lines look different", () => {
  const item = (key: string, ...ranges: [number, number][]): Item => ({
    key,
    kind: "mine",
    ranges,
    tag: key,
    color: 1,
    isFlagged: false,
  });
  const lines = linesOf(TEXT);
  const before = byLine(stripsOf([item("a", [0, 18])]), lines);
  const after = byLine(stripsOf([item("a", [0, 18]), item("b", [4, 7])]), lines);
  expect(after.get(0)!.map(({ lane }) => lane)).toEqual([0, 1]);
  expect(looksSame(before.get(0), after.get(0))).toBe(false);
  expect(looksSame(before.get(1), after.get(1))).toBe(true);
  const recoded = byLine(stripsOf([{ ...item("a", [0, 18]), tag: "other" }]), lines);
  expect(looksSame(before.get(0), recoded.get(0))).toBe(false);
});
