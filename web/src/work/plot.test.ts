import fc from "fast-check";
import { expect, test } from "vitest";
import { along, labelHeights, scaleOf } from "./plot";

test("a scale holds all its values, in tenths", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
      (values) => {
        const scale = scaleOf(values);
        expect(scale.high - scale.low).toBeGreaterThan(0.19);
        expect(scale.ticks[0]).toBe(scale.low);
        expect(scale.ticks.at(-1)).toBe(scale.high);
        for (const value of values) {
          expect(along(scale, value)).toBeGreaterThanOrEqual(-1e-6);
          expect(along(scale, value)).toBeLessThanOrEqual(1 + 1e-6);
        }
      },
    ),
  );
  expect(scaleOf([0.62, 0.88]).ticks).toEqual([0.6, 0.7, 0.8, 0.9]);
  expect(scaleOf([1, 1]).ticks).toEqual([0.8, 0.9, 1]);
});

test("labels of points that lie close together do not lie on each other", () => {
  const points = [
    { x: 0, y: 50 },
    { x: 9, y: 10 },
    { x: 1, y: 51 },
    { x: 2, y: 50 },
  ];
  const heights = labelHeights(points, 12);
  expect(heights[1]).toBe(10);
  const sorted = heights.toSorted((a, b) => a - b);
  for (let at = 1; at < sorted.length; at++) {
    expect(sorted[at]! - sorted[at - 1]!).toBeGreaterThanOrEqual(12);
  }
});
