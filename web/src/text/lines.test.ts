import fc from "fast-check";
import { expect, test } from "vitest";
import { lineAt, linesOf, sectionsOf } from "./lines";

const texts = fc
  .array(fc.constantFrom("word", "\n", "\r\n", "\r", "\t", "🫀"), { maxLength: 25 })
  .map((parts) => parts.join(""));

test("lines and line ends together are the text", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const lines = linesOf(text);
      const parts = lines.map(({ begin, end }) => text.slice(begin, end));
      expect(parts).toEqual(text.split(/\r\n|\n|\r/));
      lines.forEach((line, at) => {
        for (let unit = line.begin; unit <= line.end; unit++) expect(lineAt(lines, unit)).toBe(at);
      });
    }),
  );
});

test("headings open sections", () => {
  const text =
    "Admission\n\nHISTORY OF PRESENT ILLNESS:\nA man.\nBrief Hospital Course:\nHe left: well.\nPLAN: rest";
  expect(sectionsOf(text, linesOf(text))).toEqual([0, 2, 4, 6]);
});
