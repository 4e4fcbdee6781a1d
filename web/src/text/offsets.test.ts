import fc from "fast-check";
import { expect, test } from "vitest";
import { offsetsOf } from "./offsets";

// Emoji, a family joined by ZWJ, combining marks, CRLF, tabs, half pairs.
const piece = fc.constantFrom(
  "a",
  "é",
  "e\u0301",
  "🫀",
  "👨‍👩‍👧",
  "\r\n",
  "\t",
  " ",
  "𝔘",
  "\ud83e",
  "\udec0",
  "漢",
);
const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

test("code points are those that the language iterates over", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const points = Array.from(text);
      const offsets = offsetsOf(text);
      expect(offsets.length).toBe(points.length);
      let unit = 0;
      points.forEach((point, at) => {
        expect(offsets.toUnit(at)).toBe(unit);
        expect(offsets.toPoint(unit)).toBe(at);
        unit += point.length;
      });
      expect(offsets.toUnit(points.length)).toBe(text.length);
      expect(offsets.toPoint(text.length)).toBe(points.length);
    }),
  );
});

test("a range cuts the same text out, counted either way", () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, a, b) => {
      const points = Array.from(text);
      const [begin, end] = [a % (points.length + 1), b % (points.length + 1)].sort((x, y) => x - y);
      const units = offsetsOf(text).toUnits([begin!, end!]);
      expect(text.slice(...units)).toBe(points.slice(begin, end).join(""));
      expect(offsetsOf(text).toPoints(units)).toEqual([begin, end]);
    }),
  );
});

test("a range that cuts an emoji in half takes it whole", () => {
  expect(offsetsOf("a🫀b").toPoints([2, 4])).toEqual([1, 3]);
  expect(offsetsOf("a🫀b").toPoints([0, 2])).toEqual([0, 2]);
});
