/** The current user. */

import { get, post, Problem, setToken } from "../api/client";
import type { Me } from "../api/types";

let me = $state.raw<Me | null>(null);
let isKnown = $state(false);

export const session = {
  get me(): Me | null {
    return me;
  },
  /** Whether the server has been asked. */
  get isKnown(): boolean {
    return isKnown;
  },
};

export function enter(found: Me | null): void {
  me = found;
  isKnown = true;
  setToken(found?.csrf ?? "");
}

export async function lookWhoIsHere(): Promise<void> {
  try {
    enter(await get<Me>("/me"));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) enter(null);
    else throw error;
  }
}

export async function leave(): Promise<void> {
  await post("/logout");
  enter(null);
}
