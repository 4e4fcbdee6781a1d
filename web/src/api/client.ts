/** Requests. A failure is a `Problem`: the server's message, or that it did not respond. */

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  /** Whether the same request may do better later: nothing was refused. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

let token = "";
let onLoggedOut: () => void = () => undefined;

/** Called when the server answers a read with “not logged in”. */
export function whenLoggedOut(act: () => void): void {
  onLoggedOut = act;
}

/** The CSRF token that every change is sent with. */
export function setToken(csrf: string): void {
  token = csrf;
}

export const get = <T>(path: string): Promise<T> => request<T>("GET", path);
export const post = <T>(path: string, body?: unknown): Promise<T> => request<T>("POST", path, body);
export const put = <T>(path: string, body: unknown): Promise<T> => request<T>("PUT", path, body);
export const patch = <T>(path: string, body: unknown): Promise<T> =>
  request<T>("PATCH", path, body);
export const remove = (path: string): Promise<void> => request<void>("DELETE", path);

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["x-csrf-token"] = token;
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers["content-type"] = "application/json";
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) init.body = isForm ? body : JSON.stringify(body);
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, init);
  } catch {
    throw new Problem(0, "offline", "The server is not responding.");
  }
  if (answer.status === 204) return undefined as T;
  const text = await answer.text();
  const found = parsed(text);
  if (answer.ok) return found as T;
  if (answer.status === 401 && method === "GET") onLoggedOut();
  const { kind, message, ...details } = (found ?? {}) as Record<string, unknown>;
  throw new Problem(
    answer.status,
    typeof kind === "string" ? kind : "request",
    typeof message === "string" ? message : `The server answered ${answer.status}.`,
    details,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message to show for anything that was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
