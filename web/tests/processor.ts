/** Processor time of what works one after the other: the pages' processes, and the server. */

import { readdirSync, readFileSync } from "node:fs";

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
};

function descendants(): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    // The name, in brackets, may hold anything.
    const fields = read(`/proc/${name}/stat`).split(") ").at(-1)!.split(" ");
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const open = [process.pid];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const below = children.get(one) ?? [];
    found.push(...below);
    open.push(...below);
  }
  return found.filter(isSequential);
}

/** Chromium's other processes paint and fetch beside these. */
function isSequential(id: number): boolean {
  const words = read(`/proc/${id}/cmdline`);
  return words.includes("--type=renderer") || words.includes("workbench.py");
}

/** Nanoseconds so far, by process; nothing where the system does not tell. */
export function processorTimes(): Map<number, number> {
  const found = new Map<number, number>();
  try {
    for (const id of descendants()) {
      const tasks = readdirSync(`/proc/${id}/task`);
      const spent = tasks.map((task) => read(`/proc/${id}/task/${task}/schedstat`).split(" ")[0]);
      found.set(
        id,
        spent.map(Number).reduce((sum, one) => sum + one, 0),
      );
    }
  } catch {
    // A process has ended meanwhile, or there is no such folder.
  }
  return found;
}

/** Milliseconds between two times, of all processes together; null where they are not known. */
export function between(before: Map<number, number>, after: Map<number, number>): number | null {
  let sum = 0;
  for (const [id, spent] of after) sum += Math.max(0, spent - (before.get(id) ?? 0));
  return after.size === 0 ? null : sum / 1e6;
}
