/** The rows of the code box: what is suggested or typed, what was billed, what was used before. */

import type { CodeChoice, CodeCount, Codes, Origin } from "../api/types";
import { codeKey } from "./desk";

export interface Row {
  readonly choice: CodeChoice;
  readonly group: string;
  /** The digit that picks it. */
  readonly digit: number | null;
  readonly origin: Origin;
}

export interface Sources {
  readonly query: string;
  /** Suggestions for the marked words, or codes for what is typed. */
  readonly found: Codes | null;
  readonly codes: readonly CodeCount[];
  readonly recent: readonly CodeCount[];
  readonly systems: readonly string[];
}

const SUGGESTED = "Suggested for the selection";
const TYPED = "Codes";
const BILLED = "Billed, no evidence yet";
const RECENT = "Recently used";
const NONE = "No matching concept";
const FIRST_SUGGESTED = 5;
const DIGITS = 9;

/**
 * Rows in the order they are shown. Without a query the digits go to the first five suggestions,
 * then to billed codes without evidence, so that both are at hand.
 */
export function rowsOf({ query, found, codes, recent, systems }: Sources): Row[] {
  const typed = query.trim().toLowerCase();
  const missing = codes.filter((code) => code.billed && code.evidence === 0 && fits(code, typed));
  const suggested = (found?.codes ?? []).map((choice) => row(choice, found, typed !== ""));
  const billed = missing.map((code) => plain(code, BILLED));
  const groups =
    typed === ""
      ? [suggested.slice(0, FIRST_SUGGESTED), billed, suggested.slice(FIRST_SUGGESTED)]
      : [billed.slice(0, 3), suggested];
  const used = recent.filter((code) => fits(code, typed)).map((code) => plain(code, RECENT));
  const without = systems.includes("UMLS") && "cui-less".startsWith(typed) ? [cuiLess()] : [];
  const rows = unique([...groups.flat(), ...used, ...without]);
  return rows.map((one, at) => ({ ...one, digit: at < DIGITS ? at + 1 : null }));
}

/** Neighboring rows of one group, together. */
export function grouped(rows: readonly Row[]): { group: string; rows: Row[] }[] {
  const found: { group: string; rows: Row[] }[] = [];
  for (const one of rows) {
    if (found.at(-1)?.group === one.group) found.at(-1)!.rows.push(one);
    else found.push({ group: one.group, rows: [one] });
  }
  return found;
}

function row(choice: CodeChoice, list: Codes | null, isTyped: boolean): Omit<Row, "digit"> {
  const by = isTyped ? "hand" : "suggestion";
  const shown = list?.shown ?? null;
  const origin: Origin =
    shown === null ? { by, rank: choice.rank } : { by, shown, rank: choice.rank };
  return { choice, group: isTyped ? TYPED : SUGGESTED, origin };
}

function plain(code: CodeCount, group: string): Omit<Row, "digit"> {
  const { system, code: value, name, known, billed } = code;
  const choice: CodeChoice = {
    rank: 0,
    system,
    code: value,
    name,
    score: null,
    why: "",
    known,
    billable: null,
    billed,
    pair: null,
  };
  return { choice, group, origin: { by: group === RECENT ? "repeat" : "hand" } };
}

function cuiLess(): Omit<Row, "digit"> {
  const code = {
    system: "UMLS",
    code: "CUI-less",
    name: "concept not in the vocabulary",
    known: true,
  };
  return plain({ ...code, billed: false, evidence: 0 }, NONE);
}

function fits(code: { system: string; code: string; name: string | null }, typed: string): boolean {
  if (typed === "") return true;
  const bare = code.code.toLowerCase().replace(".", "");
  return bare.startsWith(typed.replace(".", "")) || (code.name ?? "").toLowerCase().includes(typed);
}

function unique(rows: readonly Omit<Row, "digit">[]): Omit<Row, "digit">[] {
  const keys = new Set<string>();
  return rows.filter(({ choice }) => {
    const key = codeKey(choice);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}
