/** The browser to test in: the one of CHROMIUM, the machine's, or what @sparticuz/chromium carries. */

import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export interface Chromium {
  executablePath: string;
  env?: Record<string, string>;
}

export async function findChromium(): Promise<Chromium> {
  const named = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path));
  return named === undefined ? carried() : { executablePath: named };
}

/** It is not in package.json: 75 MB that machines with a browser of their own need not fetch. */
async function carried(): Promise<Chromium> {
  const carrier = "@sparticuz/chromium";
  const before = process.env["LD_LIBRARY_PATH"];
  // Made for one cloud, on which it unpacks the libraries it needs as well.
  process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs24.x";
  try {
    const { default: chromium } = (await import(carrier)) as {
      default: { executablePath(): Promise<string> };
    };
    const executablePath = await chromium.executablePath();
    const env = { ...process.env } as Record<string, string>;
    // They are for the browser only.
    if (before === undefined) delete process.env["LD_LIBRARY_PATH"];
    else process.env["LD_LIBRARY_PATH"] = before;
    return { executablePath, env };
  } catch (error) {
    throw new Error(
      "No Chromium is here. Install one, name it in CHROMIUM, or: npm install --no-save @sparticuz/chromium",
      { cause: error },
    );
  }
}
