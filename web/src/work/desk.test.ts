import { expect, test } from "vitest";
import type { Done, Operation, Step } from "../api/types";
import {
  annotationsOf,
  applyDone,
  applyStep,
  seenBy,
  versionOf,
  withSheets,
  type Desk,
} from "./desk";
import { annotation, AUTHOR, desk, newAnnotation } from "./testing";

function after(before: Desk, ...changes: Operation[]): Desk {
  const step: Step = { client_id: "c", seen: seenBy(before, changes), changes };
  return applyStep(
    before,
    step,
    AUTHOR,
    new Map([["ICD-10-CM I10", { name: "Hypertension", known: true }]]),
  );
}
const evidence = (now: Desk, code: string) =>
  now.chart.codes.find((one) => one.code === code)?.evidence;
const verdict = (now: Desk) => now.notes.get(11)!.sheet.given[0]!.verdict;

test("an added annotation is shown, named and counted before the server has it", () => {
  const now = after(desk(), { op: "add", annotation: newAnnotation("a") });
  expect(annotationsOf(now)).toMatchObject([{ id: "a", name: "Hypertension", annotator: "ann" }]);
  expect(evidence(now, "I10")).toBe(1);
  expect(now.chart.notes[0]!.annotations).toBe(1);
  expect(versionOf(now, 11)).toBe(4);
});

test("a code that the chart lacked is listed", () => {
  const now = after(desk(), { op: "add", annotation: newAnnotation("a", { code: "J18.9" }) });
  expect(evidence(now, "J18.9")).toBe(1);
  expect(now.chart.codes.at(-1)!.billed).toBe(false);
});

test("a change of code moves the evidence, a removal takes it", () => {
  const before = desk([annotation("a")]);
  const now = after(before, { op: "change", annotation: newAnnotation("a", { code: "E11.9" }) });
  expect([evidence(now, "I10"), evidence(now, "E11.9")]).toEqual([0, 1]);
  expect(annotationsOf(now)).toHaveLength(1);
  expect(evidence(after(now, { op: "remove", id: "a" }), "E11.9")).toBe(0);
});

test("accepting a suggestion judges it, removing the annotation frees it again", () => {
  const accepted = after(desk(), {
    op: "add",
    annotation: newAnnotation("a", { origin: { by: "given", given: 5 } }),
  });
  expect(verdict(accepted)).toBe("accepted");
  expect(verdict(after(accepted, { op: "remove", id: "a" }))).toBe(null);
  expect(verdict(after(desk(), { op: "judge", given: 5, verdict: "rejected" }))).toBe("rejected");
});

test("places in a note that was never opened are counted, in its version", () => {
  const changes: Operation[] = [11, 12].map((note) => ({
    op: "add",
    annotation: newAnnotation(`a${note}`, { note }),
  }));
  expect(seenBy(desk(), changes)).toEqual([
    { chart: 1, note: 11, version: 3 },
    { chart: 1, note: 12, version: 8 },
  ]);
  const now = after(desk(), ...changes);
  expect(now.chart.notes.map((note) => [note.annotations, note.version])).toEqual([
    [1, 4],
    [1, 9],
  ]);
  expect(evidence(now, "I10")).toBe(2);
});

test("what the server answers takes the place of what was shown, and counts once", () => {
  const shown = after(desk(), { op: "add", annotation: newAnnotation("a") });
  const done: Done = {
    seq: 9,
    repeated: false,
    sheets: [{ chart: 1, note: 11, version: 4 }],
    annotations: [annotation("a", { seq: 9, known: false })],
    removed: [],
    verdicts: [],
    finished: [],
    history: { undo: null, redo: null },
  };
  const now = applyDone(shown, done);
  expect(annotationsOf(now)).toMatchObject([{ id: "a", seq: 9, known: false }]);
  expect(evidence(now, "I10")).toBe(1);
  const undone = applyDone(now, {
    ...done,
    annotations: [],
    removed: ["a"],
    sheets: [{ chart: 1, note: 11, version: 5 }],
  });
  expect([annotationsOf(undone).length, evidence(undone, "I10"), versionOf(undone, 11)]).toEqual([
    0, 0, 5,
  ]);
});

test("a conflict brings the sheet as it is there", () => {
  const before = desk([annotation("mine")]);
  const sheet = {
    ...before.notes.get(11)!.sheet,
    version: 6,
    annotations: [annotation("other", { code: "E11.9" })],
  };
  const now = withSheets(before, [sheet]);
  expect(annotationsOf(now).map(({ id }) => id)).toEqual(["other"]);
  expect([evidence(now, "I10"), evidence(now, "E11.9"), versionOf(now, 11)]).toEqual([0, 1, 6]);
});

test("finishing touches the chart as a whole", () => {
  const change: Operation = { op: "finish", chart: 1, finished: true };
  expect(seenBy(desk(), [change])).toEqual([{ chart: 1, note: null, version: 1 }]);
  expect(after(desk(), change).chart.chart.finished).toBe(true);
});
