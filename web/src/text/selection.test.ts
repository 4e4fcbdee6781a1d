import { expect, test } from "vitest";
import { linesOf, sectionsOf } from "./lines";
import {
  covered,
  firstSelection,
  moved,
  selectionOf,
  taken,
  type Ground,
  type Unit,
} from "./selection";
import { wordsOf } from "./words";

function groundOf(text: string): Ground {
  const lines = linesOf(text);
  return { text, lines, words: wordsOf(text), sections: sectionsOf(text, lines) };
}

/** The words under the cursor after some moves: "word", "word back", "+word" extends. */
function after(text: string, ...moves: string[]): string {
  const ground = groundOf(text);
  let selection = firstSelection(ground);
  for (const one of moves) {
    const [unit, back] = one.replace("+", "").split(" ");
    selection = moved(ground, selection, unit as Unit, back ? -1 : 1, one.startsWith("+"));
  }
  return text.slice(...covered(selection));
}

const NOTE = "HISTORY:\r\n\tPt w/ chest pain, no fe\u0301ver 🫀 ok.\r\n\r\nPLAN:\r\nAspirin 81 mg.";

test("words, with marks and emoji whole; punctuation is stepped over", () => {
  expect(after(NOTE)).toBe("HISTORY");
  expect(after(NOTE, "word", "word", "word")).toBe("chest");
  expect(after(NOTE, "word", "word", "word", "+word")).toBe("chest pain");
  expect(after(NOTE, ...Array<string>(6).fill("word"))).toBe("fe\u0301ver");
  expect(after(NOTE, ...Array<string>(7).fill("word"))).toBe("🫀");
  expect(after(NOTE, "word", "word", "word", "+word", "+word", "+word back")).toBe("chest pain");
  expect(after(NOTE, "word", "word back")).toBe("HISTORY");
});

test("lines, sections, edges and the whole note", () => {
  expect(after(NOTE, "line")).toBe("Pt");
  expect(after(NOTE, "line", "line")).toBe("PLAN");
  expect(after(NOTE, "line", "edge")).toBe("ok");
  expect(after(NOTE, "line", "edge", "edge back")).toBe("Pt");
  expect(after(NOTE, "section")).toBe("PLAN");
  expect(after(NOTE, "section", "section back")).toBe("HISTORY");
  expect(after(NOTE, "all")).toBe("mg");
  expect(after(NOTE, "all", "all back")).toBe("HISTORY");
});

test("characters take marks with them", () => {
  const text = "fe\u0301ver";
  const ground = groundOf(text);
  const narrowed = moved(
    ground,
    moved(ground, selectionOf([0, 6]), "character", -1, true),
    "character",
    -1,
    true,
  );
  expect(text.slice(...covered(narrowed))).toBe("fe\u0301v");
  const again = moved(
    ground,
    moved(ground, narrowed, "character", -1, true),
    "character",
    -1,
    true,
  );
  expect(text.slice(...covered(again))).toBe("f");
});

test("the mouse takes whole words, or characters with Alt", () => {
  const text = "acute chest pain, severe";
  const ground = groundOf(text);
  const words = (range: [number, number], alt = false) =>
    text.slice(...covered(taken(ground, range, alt)));
  expect(words([8, 14])).toBe("chest pain");
  expect(words([8, 14], true)).toBe("est pa");
  expect(words([9, 9])).toBe("chest");
  expect(words([5, 12])).toBe("chest");
  expect(words([16, 17])).toBe(",");
});

test("a text without words has a cursor all the same", () => {
  expect(after("")).toBe("");
  expect(after("...\n---", "word", "line", "section")).toBe("");
});
