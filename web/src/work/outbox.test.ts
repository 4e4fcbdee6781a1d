import { expect, test } from "vitest";
import { Problem } from "../api/client";
import type { Done, Sheet } from "../api/types";
import { openOutbox, type Letter, type Outbox, type Post, type Shelf } from "./outbox";

const DONE: Done = {
  seq: 1,
  repeated: false,
  sheets: [],
  annotations: [],
  removed: [],
  verdicts: [],
  finished: [],
  history: { undo: null, redo: null },
};

function shelf(): Shelf & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

let made = 0;
function letter(id: string, version: number): Letter {
  const body = { client_id: id, seen: [{ chart: 1, note: 2, version }], changes: [] };
  return { kind: "step", project: 1, made: ++made, isTried: false, body };
}

/** A server that answers as told, one answer after the other; then well. */
function world(answers: (Done | Problem)[] = [], kept = shelf()) {
  const sent: Letter[] = [];
  const states: string[] = [];
  const conflicts: Sheet[] = [];
  const post: Post = {
    async send(one) {
      sent.push(structuredClone(one));
      const answer = answers.shift() ?? DONE;
      if (answer instanceof Problem) throw answer;
      return answer;
    },
    history: async () => ({
      undo: { seq: 42, kind: "add", changes: 1, chart: 1, note: 2, code: null },
      redo: null,
    }),
  };
  const outbox: Outbox = openOutbox({
    owner: "7",
    shelf: kept,
    post,
    onDone: () => undefined,
    onConflict: (sheets) => void conflicts.push(...sheets),
    onChange: () => void states.push(outbox?.state ?? ""),
    pause: async () => undefined,
  });
  return { outbox, sent, states, kept, conflicts };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const offline = () => new Problem(0, "offline", "The server does not answer.");
const conflict = (version: number) =>
  new Problem(409, "conflict", "It has changed.", {
    sheets: [{ chart: 1, note: 2, version, annotations: [], given: [] }],
  });

test("a change is written down before it is sent, and until it is acknowledged", async () => {
  let release = (_: Done): void => undefined;
  const kept = shelf();
  const outbox = openOutbox({
    owner: "7",
    shelf: kept,
    post: {
      send: () => new Promise((resolve) => (release = resolve)),
      history: async () => DONE.history,
    },
    onDone: () => undefined,
    onConflict: () => undefined,
    onChange: () => undefined,
    pause: async () => undefined,
  });
  outbox.add(letter("one", 0));
  await settle();
  expect([outbox.state, kept.length]).toEqual(["saving", 1]);
  release(DONE);
  await settle();
  expect([outbox.state, kept.length]).toEqual(["saved", 0]);
});

test("what got no answer is sent again under the same id, and never called saved meanwhile", async () => {
  const { outbox, sent, states } = world([offline(), new Problem(503, "busy", "Busy.")]);
  outbox.add(letter("one", 0));
  await settle();
  expect(sent.map((one) => one.body.client_id)).toEqual(["one", "one", "one"]);
  expect(sent.map((one) => one.body)).toEqual([sent[0]!.body, sent[0]!.body, sent[0]!.body]);
  expect(states.indexOf("saved")).toBe(states.length - 1);
});

test("a new page sends what the last one left, in its order", async () => {
  const kept = shelf();
  const first = world([], kept);
  kept.setItem("auscult.letter.8.0000000000000001.other", JSON.stringify(letter("other", 0)));
  first.outbox.add(letter("b", 0));
  kept.setItem(
    "auscult.letter.7.8000000000000002.y",
    JSON.stringify({ ...letter("y", 0), made: 8000000000000002 }),
  );
  kept.setItem(
    "auscult.letter.7.8000000000000001.z",
    JSON.stringify({ ...letter("z", 0), made: 8000000000000001 }),
  );
  await settle();
  const { outbox, sent } = world([], kept);
  await outbox.run();
  expect(sent.map((one) => one.body.client_id)).toEqual(["z", "y"]);
  expect(kept.length).toBe(1);
});

test("a conflict stops everything until somebody decides", async () => {
  const { outbox, sent, conflicts } = world([conflict(9)]);
  outbox.add(letter("one", 3));
  outbox.add(letter("two", 4));
  await settle();
  expect([outbox.state, sent.length, conflicts[0]!.version]).toEqual(["refused", 1, 9]);
  let ids = 0;
  outbox.again(() => `new${++ids}`);
  await settle();
  expect(
    sent
      .slice(1)
      .map((one) => [one.body.client_id, one.kind === "step" && one.body.seen[0]!.version]),
  ).toEqual([
    ["new1", 9],
    ["two", 10],
  ]);
  expect(outbox.state).toBe("saved");
});

test("what is left out is gone, and those behind it count without it", async () => {
  const { outbox, sent, kept } = world([new Problem(422, "invalid", "Not a code.")]);
  outbox.add(letter("one", 3));
  outbox.add(letter("two", 4));
  await settle();
  outbox.drop();
  await settle();
  expect(sent.map((one) => one.body.client_id)).toEqual(["one", "two"]);
  expect(sent[1]!.kind === "step" && sent[1]!.body.seen[0]!.version).toBe(3);
  expect([outbox.state, kept.length]).toEqual(["saved", 0]);
});

test("a session that ended keeps everything until the login", async () => {
  const { outbox, sent, kept } = world([new Problem(401, "login", "Log in.")]);
  outbox.add(letter("one", 0));
  await settle();
  expect([outbox.state, kept.length]).toEqual(["login", 1]);
  await outbox.run();
  expect([outbox.state, sent.length, kept.length]).toEqual(["saved", 2, 0]);
});

test("undo names the step that is next when it is sent; a refused one goes away", async () => {
  const { outbox, sent } = world([new Problem(409, "conflict", "Another step is next.")]);
  outbox.add({
    kind: "undo",
    project: 1,
    made: ++made,
    isTried: false,
    body: { client_id: "u", seq: null },
  });
  await settle();
  expect(sent[0]!.body).toEqual({ client_id: "u", seq: 42 });
  expect([outbox.state, outbox.letters.length]).toEqual(["refused", 0]);
  outbox.drop();
  expect(outbox.state).toBe("saved");
});

test("only what was never sent can be taken back", async () => {
  const { outbox } = world([conflict(5)]);
  outbox.add(letter("one", 0));
  await settle();
  expect(outbox.takeBack(1)).toBe(null);
  outbox.add(letter("two", 1));
  expect(outbox.takeBack(2)).toBe(null);
  expect(outbox.takeBack(1)?.body.client_id).toBe("two");
  // Undoing twice in a hurry undoes two steps; the second does not take the first back.
  outbox.add({
    kind: "undo",
    project: 1,
    made: ++made,
    isTried: false,
    body: { client_id: "u", seq: null },
  });
  expect(outbox.takeBack(1)).toBe(null);
});

test("when somebody else has come, nothing more is sent in their name, and nothing is lost", async () => {
  const kept = shelf();
  let tries = 0;
  const outbox = openOutbox({
    owner: "7",
    shelf: kept,
    post: {
      async send() {
        tries += 1;
        throw offline();
      },
      history: async () => DONE.history,
    },
    onDone: () => undefined,
    onConflict: () => undefined,
    onChange: () => undefined,
    pause: async () => outbox.close(),
  });
  outbox.add(letter("one", 0));
  await settle();
  await outbox.run();
  expect([tries, kept.length]).toEqual([1, 1]);
});
