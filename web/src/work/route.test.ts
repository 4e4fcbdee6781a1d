import { expect, test } from "vitest";
import { routeOf } from "./route.svelte";

test.each([
  ["/", { page: "home" }],
  ["/join", { page: "join" }],
  ["/projects/3", { page: "project", project: 3 }],
  ["/projects/3/review", { page: "review", project: 3 }],
  ["/projects/3/charts/5", { page: "chart", project: 3, chart: 5, note: null }],
  ["/projects/3/charts/5/notes/7", { page: "chart", project: 3, chart: 5, note: 7 }],
  ["/projects/3/deid", { page: "deid", project: 3 }],
  ["/challenges/cmc-2007", { page: "challenge", name: "cmc-2007" }],
  ["/challenges/..", { page: "unknown" }],
  ["/projects/3/nonsense", { page: "unknown" }],
  ["/projects/0", { page: "unknown" }],
  ["/projects/1e3", { page: "unknown" }],
])("%s", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
