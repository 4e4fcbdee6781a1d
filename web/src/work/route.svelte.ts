/** Which page is open: the address decides. */

/** The sections of a project, and what they are called. */
export const SECTIONS = {
  guidelines: "Guidelines",
  review: "Review",
  agreement: "Agreement",
  deid: "De-identification",
  team: "Team",
  settings: "Settings",
} as const;
export type Section = keyof typeof SECTIONS;

export type Route =
  | { page: "home" | "login" | "join" | "account" | "admin" | "unknown" }
  | { page: "project" | Section; project: number }
  | { page: "chart"; project: number; chart: number; note: number | null }
  | { page: "challenge"; name: string };

export function routeOf(path: string): Route {
  const parts = path.split("/").filter((part) => part !== "");
  const [first, id, section, chart, notes, note] = parts;
  if (first === undefined) return { page: "home" };
  if (parts.length === 1) {
    for (const page of ["login", "join", "account", "admin"] as const) {
      if (first === page) return { page };
    }
  }
  if (first === "challenges" && parts.length === 2 && /^[\w][\w.-]{0,63}$/.test(id ?? "")) {
    return { page: "challenge", name: id! };
  }
  const project = numberOf(id);
  if (first !== "projects" || project === null) return { page: "unknown" };
  if (section === undefined) return { page: "project", project };
  if (isSection(section) && chart === undefined) return { page: section, project };
  const chartId = numberOf(chart);
  if (section === "charts" && chartId !== null) {
    const noteId = notes === "notes" ? numberOf(note) : null;
    return { page: "chart", project, chart: chartId, note: noteId };
  }
  return { page: "unknown" };
}

const isSection = (part: string): part is Section => Object.hasOwn(SECTIONS, part);

function numberOf(part: string | undefined): number | null {
  return part !== undefined && /^[1-9]\d{0,9}$/.test(part) ? Number(part) : null;
}

let path = $state(globalThis.location?.pathname ?? "/");
const route = $derived(routeOf(path));

export const here = {
  get route(): Route {
    return route;
  },
  get path(): string {
    return path;
  },
};

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(null, "", to);
  path = location.pathname;
}

/** Follow links within the application without loading it again. */
export function followLinks(): void {
  window.addEventListener("popstate", () => (path = location.pathname));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey) return;
    const link = (event.target as Element | null)?.closest("a");
    if (!link || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    go(link.pathname + link.hash);
  });
}
