/** The breadcrumb above every page. */

import type { Project } from "../api/types";
import { SECTIONS, type Section } from "./route.svelte";

export interface Crumb {
  readonly name: string;
  readonly href: string;
}

let list = $state.raw<readonly Crumb[]>([]);

export const crumbs = {
  get list(): readonly Crumb[] {
    return list;
  },
};

export function setCrumbs(now: readonly Crumb[]): void {
  list = now;
  document.title = [...now.map(({ name }) => name).toReversed(), "Auscult"].join(" · ");
}

/** A project, and a section of it or something else below it. */
export function setProjectCrumbs(
  { id, name }: Pick<Project, "id" | "name">,
  below: Section | Crumb | null,
): void {
  const href = `/projects/${id}`;
  const last =
    typeof below === "string" ? { name: SECTIONS[below], href: `${href}/${below}` } : below;
  setCrumbs([{ name, href }, ...(last === null ? [] : [last])]);
}
