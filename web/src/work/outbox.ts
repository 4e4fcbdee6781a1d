/**
 * Changes on their way to the server. Each is written down in the browser before it is sent, stays
 * until the server has acknowledged it, and is sent again under the same id if the answer got lost.
 */

import { Problem } from "../api/client";
import type { Done, History, Sheet, SheetVersion, Step } from "../api/types";

export type Letter =
  | { kind: "step"; project: number; made: number; isTried: boolean; body: Step }
  | {
      kind: "undo" | "redo";
      project: number;
      made: number;
      isTried: boolean;
      body: { client_id: string; seq: number | null };
    };

export type State = "saved" | "saving" | "offline" | "login" | "refused";

export interface Post {
  send(letter: Letter): Promise<Done>;
  history(project: number): Promise<History>;
}

/** `localStorage`, or what tests have for it. */
export interface Shelf {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Outbox {
  readonly letters: readonly Letter[];
  readonly state: State;
  /** Why the first letter was refused. */
  readonly problem: Problem | null;
  add(letter: Letter): void;
  /** Take back the last letter, if it is a step that was never sent. */
  takeBack(project: number): Letter | null;
  /** After a refusal: leave the letter out, or make its changes again on what is there now. */
  drop(): void;
  again(newId: () => string): void;
  /** Try now: at the start, when the network is back, after a login. */
  run(): Promise<void>;
  /** Send nothing more: somebody else is here now, in whose name it would be. What waits is kept. */
  close(): void;
}

interface Options {
  /** Whose letters: a person of a workbench. */
  owner: string;
  shelf: Shelf;
  post: Post;
  /** It is done; null when there was nothing to undo or redo. */
  onDone(letter: Letter, done: Done | null): void;
  onChange(): void;
  /** Sheets as they are now, when a letter was refused for being made on older ones. */
  onConflict(sheets: readonly Sheet[]): void;
  pause(milliseconds: number): Promise<void>;
}

const LONGEST_PAUSE = 15_000;

export function openOutbox(options: Options): Outbox {
  const { shelf, post } = options;
  const prefix = `auscult.letter.${options.owner}.`;
  let letters = stored(shelf, prefix);
  let state: State = letters.length > 0 ? "saving" : "saved";
  let problem: Problem | null = null;
  let isRunning = false;
  let isClosed = false;
  let refused: Letter | null = null;

  const keyOf = (letter: Letter): string =>
    `${prefix}${String(letter.made).padStart(16, "0")}.${letter.body.client_id}`;
  const write = (letter: Letter): void => shelf.setItem(keyOf(letter), JSON.stringify(letter));

  function become(now: State, why: Problem | null = null): void {
    if (isClosed) return;
    state = now;
    problem = why;
    options.onChange();
  }

  function forget(letter: Letter): void {
    shelf.removeItem(keyOf(letter));
    letters = letters.filter((one) => one !== letter);
  }

  async function run(): Promise<void> {
    if (isRunning || isClosed || state === "refused") return;
    isRunning = true;
    let rest = 500;
    try {
      for (let letter = letters[0]; letter !== undefined; letter = letters[0]) {
        try {
          const done = await sendOne(letter);
          forget(letter);
          if (isClosed) return;
          options.onDone(letter, done);
          rest = 500;
          become(letters.length > 0 ? "saving" : "saved");
        } catch (error) {
          const found = error instanceof Problem ? error : new Problem(0, "offline", String(error));
          if (!found.isPassing) return refuse(letter, found);
          become("offline", found);
          await options.pause(rest);
          if (isClosed) return;
          rest = Math.min(rest * 2, LONGEST_PAUSE);
        }
      }
    } finally {
      isRunning = false;
    }
  }

  async function sendOne(letter: Letter): Promise<Done | null> {
    if (letter.kind !== "step" && letter.body.seq === null) {
      const next = (await post.history(letter.project))[letter.kind];
      if (next === null) return null;
      letter.body.seq = next.seq;
    }
    letter.isTried = true;
    write(letter);
    return post.send(letter);
  }

  function refuse(letter: Letter, found: Problem): void {
    if (found.kind === "login") return become("login", found);
    // Another step is next to undo: whoever undoes looks again at what it would be.
    if (letter.kind !== "step") forget(letter);
    else refused = letter;
    become("refused", found);
    const sheets = found.details["sheets"];
    if (Array.isArray(sheets)) options.onConflict(sheets as Sheet[]);
  }

  function goOn(): void {
    become(letters.length > 0 ? "saving" : "saved");
    void run();
  }

  return {
    get letters() {
      return letters;
    },
    get state() {
      return state;
    },
    get problem() {
      return problem;
    },
    add(letter) {
      write(letter);
      letters = [...letters, letter];
      if (state === "saved") state = "saving";
      options.onChange();
      void run();
    },
    takeBack(project) {
      const last = letters.at(-1);
      if (last?.kind !== "step" || last.isTried || last.project !== project) return null;
      forget(last);
      options.onChange();
      return last;
    },
    drop() {
      const there = standing();
      if (refused !== null) forget(refused);
      replace(rebased(letters, there));
      goOn();
    },
    again(newId) {
      replace(rebased(letters, standing(), newId));
      goOn();
    },
    async run() {
      if (state === "login") state = "saving";
      await run();
    },
    close() {
      isClosed = true;
    },
  };

  /** The sheets of the refused letter as they stand, which the letters behind it did not expect. */
  function standing(): readonly SheetVersion[] {
    const sheets = problem?.details["sheets"];
    if (Array.isArray(sheets)) return sheets as Sheet[];
    return refused?.kind === "step" ? refused.body.seen : [];
  }

  function replace(now: readonly Letter[]): void {
    for (const letter of letters) shelf.removeItem(keyOf(letter));
    letters = [...now];
    letters.forEach(write);
    refused = null;
  }
}

/**
 * Letters as if made on sheets as they are now. Each letter counts a sheet that it touches up by
 * one, so those behind it see that. What is sent anew needs a new id: the old one was answered.
 */
export function rebased(
  letters: readonly Letter[],
  sheets: readonly SheetVersion[],
  newId?: () => string,
): Letter[] {
  const versions = new Map(sheets.map((sheet) => [`${sheet.chart}.${sheet.note}`, sheet.version]));
  return letters.map((letter) => {
    if (letter.kind !== "step") return letter;
    let touches = false;
    const seen = letter.body.seen.map((one) => {
      const key = `${one.chart}.${one.note}`;
      const version = versions.get(key);
      if (version === undefined) return one;
      touches = true;
      versions.set(key, version + 1);
      return { ...one, version };
    });
    if (!touches) return letter;
    const client_id = letter.isTried && newId ? newId() : letter.body.client_id;
    return { ...letter, isTried: false, body: { ...letter.body, client_id, seen } };
  });
}

function stored(shelf: Shelf, prefix: string): Letter[] {
  const keys = Array.from({ length: shelf.length }, (_, at) => shelf.key(at));
  return keys
    .filter((key): key is string => key !== null && key.startsWith(prefix))
    .sort()
    .flatMap((key) => {
      try {
        return [JSON.parse(shelf.getItem(key) ?? "") as Letter];
      } catch {
        return [];
      }
    });
}
