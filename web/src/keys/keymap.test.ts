import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTS, BOX, CHART, chord, commandOf, HIDING, MOVES, REVIEW, type Binding } from "./keymap";
import { isMove } from "./moving";

const press = (key: string, ...modifiers: ("ctrlKey" | "altKey" | "shiftKey" | "metaKey")[]) => ({
  key,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  ...Object.fromEntries(modifiers.map((one) => [one, true])),
});

test("a press is found by what it writes", () => {
  expect(chord(press("Z", "ctrlKey", "shiftKey"))).toBe("ctrl+shift+z");
  expect(commandOf(CHART, press("U", "shiftKey"))).toBe("redo");
  expect(commandOf(CHART, press("z", "metaKey"))).toBe("undo");
  expect(commandOf(CHART, press("?", "shiftKey"))).toBe("help");
  expect(commandOf(CHART, press("ArrowRight", "shiftKey"))).toBe("extend word");
  expect(commandOf(CHART, press("q"))).toBe(null);
});

test.each([
  ["chart", CHART],
  ["box", BOX],
  ["review", REVIEW],
  ["de-identification", [...MOVES, ...HIDING]],
] as [string, readonly Binding<string>[]][])("no key of the %s does two things", (_, bindings) => {
  const chords = bindings.flatMap((one) => one.chords);
  expect(new Set(chords).size).toBe(chords.length);
});

test("moves are told from acts", () => {
  expect(MOVES.every(({ command }) => isMove(command))).toBe(true);
  expect(ACTS.some(({ command }) => isMove(command))).toBe(false);
});

test("the manual has every key, and says what the help says", () => {
  const manual = readFileSync(new URL("../../../docs/workbench.md", import.meta.url), "utf8");
  const missing = [...CHART, ...BOX, ...REVIEW, ...HIDING]
    .map(({ shown, says }) => `| ${shown} | ${says} |`)
    .filter((row) => !manual.includes(row));
  expect(missing).toEqual([]);
});
