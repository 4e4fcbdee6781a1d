/** Keyboard shortcuts while the note text has the focus. The help and the manual show these tables. */

export interface Binding<Command extends string> {
  readonly command: Command;
  /** As `chord` writes them. */
  readonly chords: readonly string[];
  readonly shown: string;
  readonly says: string;
}

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** A key press as one word: "ctrl+z", "shift+ArrowRight", "?", "N". */
export function chord({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  const isNamed = key.length > 1;
  const hasModifier = ctrlKey || metaKey || altKey;
  const parts: string[] = [];
  if (ctrlKey || metaKey) parts.push("ctrl");
  if (altKey) parts.push("alt");
  // What Shift does to a character shows in the character itself.
  if (shiftKey && (isNamed || hasModifier)) parts.push("shift");
  parts.push(!isNamed && hasModifier ? key.toLowerCase() : key);
  return parts.join("+");
}

export function commandOf<Command extends string>(
  bindings: readonly Binding<Command>[],
  press: Press,
): Command | null {
  const pressed = chord(press);
  return bindings.find(({ chords }) => chords.includes(pressed))?.command ?? null;
}

export type MoveCommand =
  | "word"
  | "word back"
  | "line"
  | "line back"
  | "edge"
  | "edge back"
  | "section"
  | "section back"
  | "all"
  | "all back"
  | "character"
  | "character back"
  | "extend word"
  | "extend word back"
  | "extend line"
  | "extend line back"
  | "extend edge"
  | "extend edge back"
  | "extend section"
  | "extend section back"
  | "widen"
  | "narrow";

export type ChartCommand =
  | MoveCommand
  | "hit"
  | "hit back"
  | "mark"
  | "mark back"
  | "note"
  | "note back"
  | "code"
  | "recode"
  | "repeat"
  | "pin"
  | "join"
  | "everywhere"
  | "accept"
  | "reject"
  | "remove"
  | "comment"
  | "search"
  | "undo"
  | "redo"
  | "finish"
  | "help"
  | "clear";

export const MOVES: readonly Binding<MoveCommand>[] = [
  { command: "word", chords: ["ArrowRight"], shown: "→", says: "next word" },
  { command: "word back", chords: ["ArrowLeft"], shown: "←", says: "previous word" },
  { command: "line", chords: ["ArrowDown"], shown: "↓", says: "next line" },
  { command: "line back", chords: ["ArrowUp"], shown: "↑", says: "previous line" },
  { command: "edge back", chords: ["Home"], shown: "Home", says: "first word of the line" },
  { command: "edge", chords: ["End"], shown: "End", says: "last word of the line" },
  { command: "section", chords: ["PageDown"], shown: "PgDn", says: "next section" },
  { command: "section back", chords: ["PageUp"], shown: "PgUp", says: "previous section" },
  { command: "all back", chords: ["ctrl+Home"], shown: "Ctrl Home", says: "start of the note" },
  { command: "all", chords: ["ctrl+End"], shown: "Ctrl End", says: "end of the note" },
  {
    command: "extend word",
    chords: ["shift+ArrowRight"],
    shown: "Shift →",
    says: "extend selection by a word",
  },
  {
    command: "extend word back",
    chords: ["shift+ArrowLeft"],
    shown: "Shift ←",
    says: "shrink selection by a word, or extend it to the left",
  },
  {
    command: "extend line",
    chords: ["shift+ArrowDown"],
    shown: "Shift ↓",
    says: "extend selection down a line",
  },
  {
    command: "extend line back",
    chords: ["shift+ArrowUp"],
    shown: "Shift ↑",
    says: "extend selection up a line",
  },
  {
    command: "extend edge",
    chords: ["shift+End"],
    shown: "Shift End",
    says: "extend selection to the end of the line",
  },
  {
    command: "extend edge back",
    chords: ["shift+Home"],
    shown: "Shift Home",
    says: "extend selection to the start of the line",
  },
  {
    command: "extend section",
    chords: ["shift+PageDown"],
    shown: "Shift PgDn",
    says: "extend selection to the next section",
  },
  {
    command: "extend section back",
    chords: ["shift+PageUp"],
    shown: "Shift PgUp",
    says: "extend selection to the previous section",
  },
  { command: "character", chords: ["alt+ArrowRight"], shown: "Alt →", says: "next character" },
  {
    command: "character back",
    chords: ["alt+ArrowLeft"],
    shown: "Alt ←",
    says: "previous character",
  },
  {
    command: "widen",
    chords: ["alt+shift+ArrowRight"],
    shown: "Alt Shift →",
    says: "extend selection by a character",
  },
  {
    command: "narrow",
    chords: ["alt+shift+ArrowLeft"],
    shown: "Alt Shift ←",
    says: "shrink selection by a character",
  },
];

export const ACTS: readonly Binding<ChartCommand>[] = [
  {
    command: "code",
    chords: ["Enter"],
    shown: "Enter",
    says: "assign a code to the selection; on an annotation, add another code",
  },
  {
    command: "recode",
    chords: ["v"],
    shown: "v",
    says: "change the code of the annotation or suggestion",
  },
  { command: "repeat", chords: ["r"], shown: "r", says: "assign the last code again" },
  {
    command: "everywhere",
    chords: ["e"],
    shown: "e",
    says: "apply to every occurrence of these words, after a preview",
  },
  {
    command: "pin",
    chords: ["+", "m"],
    shown: "+ or m",
    says: "pin the selection, to annotate several spans together",
  },
  {
    command: "join",
    chords: ["shift+Enter"],
    shown: "Shift Enter",
    says: "add the selection to the latest annotation",
  },
  { command: "mark", chords: ["j"], shown: "j", says: "next annotation or suggestion" },
  { command: "mark back", chords: ["k"], shown: "k", says: "previous annotation or suggestion" },
  { command: "accept", chords: ["a"], shown: "a", says: "accept the suggestion" },
  { command: "reject", chords: ["x"], shown: "x", says: "reject the suggestion" },
  {
    command: "remove",
    chords: ["Delete", "Backspace"],
    shown: "Delete",
    says: "remove the annotation",
  },
  { command: "comment", chords: ["c"], shown: "c", says: "comment on the annotation" },
  { command: "search", chords: ["/"], shown: "/", says: "search the chart" },
  { command: "hit", chords: ["n"], shown: "n", says: "next search result" },
  { command: "hit back", chords: ["N"], shown: "Shift n", says: "previous search result" },
  { command: "note", chords: ["]"], shown: "]", says: "next note" },
  { command: "note back", chords: ["["], shown: "[", says: "previous note" },
  {
    command: "undo",
    chords: ["u", "ctrl+z"],
    shown: "u or Ctrl z",
    says: "undo, any number of steps",
  },
  {
    command: "redo",
    chords: ["U", "ctrl+y", "ctrl+shift+z"],
    shown: "Shift u or Ctrl y",
    says: "redo",
  },
  { command: "finish", chords: ["f"], shown: "f", says: "finish or reopen the chart" },
  { command: "help", chords: ["?"], shown: "?", says: "show this help" },
  { command: "clear", chords: ["Escape"], shown: "Esc", says: "clear pinned selections" },
];

export const CHART: readonly Binding<ChartCommand>[] = [...MOVES, ...ACTS];

export type BoxCommand = "pick" | "stay" | "pair" | "down" | "up" | "type";

export const BOX: readonly Binding<BoxCommand>[] = [
  { command: "pick", chords: ["Enter"], shown: "Enter", says: "assign the code" },
  {
    command: "stay",
    chords: ["shift+Enter"],
    shown: "Shift Enter",
    says: "assign it and choose another for the same words",
  },
  {
    command: "pair",
    chords: ["alt+Enter"],
    shown: "Alt Enter",
    says: "assign it and its ICD-9/ICD-10 equivalent",
  },
  { command: "down", chords: ["ArrowDown"], shown: "↓", says: "next code" },
  { command: "up", chords: ["ArrowUp"], shown: "↑", says: "previous code" },
  { command: "type", chords: ["/"], shown: "/", says: "type a code that starts with a digit" },
];

export type ReviewCommand =
  "A" | "B" | "C" | "D" | "both" | "neither" | "edit" | "why" | "next" | "previous" | "help";

export const REVIEW: readonly Binding<ReviewCommand>[] = [
  { command: "A", chords: ["a", "1"], shown: "a or 1", says: "accept A" },
  { command: "B", chords: ["b", "2"], shown: "b or 2", says: "accept B" },
  { command: "C", chords: ["c", "3"], shown: "c or 3", says: "accept C, if there is one" },
  { command: "D", chords: ["d", "4"], shown: "d or 4", says: "accept D, if there is one" },
  { command: "both", chords: ["o"], shown: "o", says: "accept both" },
  { command: "neither", chords: ["n"], shown: "n", says: "accept neither" },
  { command: "edit", chords: ["e"], shown: "e", says: "enter a correction" },
  { command: "why", chords: ["r"], shown: "r", says: "enter a reason before you decide" },
  { command: "next", chords: ["j", "ArrowDown"], shown: "j or ↓", says: "next disagreement" },
  { command: "previous", chords: ["k", "ArrowUp"], shown: "k or ↑", says: "previous disagreement" },
  { command: "help", chords: ["?"], shown: "?", says: "show this help" },
];

export type HidingCommand =
  | "keep"
  | "replace"
  | "generalize"
  | "delete"
  | "write"
  | "why"
  | "missed"
  | "next"
  | "previous"
  | "help";

/** Reviewing identifiers for de-identification. */
export const HIDING: readonly Binding<HidingCommand>[] = [
  { command: "keep", chords: ["k"], shown: "k", says: "keep: not an identifier" },
  { command: "replace", chords: ["r"], shown: "r", says: "replace with a realistic surrogate" },
  { command: "write", chords: ["w"], shown: "w", says: "type a replacement, then press Enter" },
  { command: "generalize", chords: ["g"], shown: "g", says: "replace with its category" },
  { command: "delete", chords: ["D"], shown: "Shift d", says: "exclude the whole note" },
  { command: "why", chords: ["y"], shown: "y", says: "enter a reason before you decide" },
  {
    command: "missed",
    chords: ["m", "Enter"],
    shown: "m or Enter",
    says: "add the selection as a missed identifier",
  },
  { command: "next", chords: ["n"], shown: "n", says: "next finding" },
  { command: "previous", chords: ["p"], shown: "p", says: "previous finding" },
  { command: "help", chords: ["?"], shown: "?", says: "show this help" },
];
