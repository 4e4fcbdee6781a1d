/** Where one is, above every page. */

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
