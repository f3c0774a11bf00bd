// Clients, answers, and waiting: what the example needs besides the generated types.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];
export type Client = ReturnType<typeof createClient<paths>>;

export const { POOLSITE_ACCOUNT: account = "" } = process.env;
const { POOLSITE_URL: baseUrl = "" } = process.env;
const deadlineMs = 120_000;

/** A client with a person's login. Only people create tokens and move money. */
export function withLogin(Cookie = ""): Client {
  const csrf = /csrf=([^;]+)/.exec(Cookie)?.[1] ?? "";
  return createClient<paths>({ baseUrl, headers: { Cookie, Referer: baseUrl, "X-CSRFToken": csrf } });
}

export const operator = withLogin(process.env.POOLSITE_OPERATOR_COOKIE);
export const owner = withLogin(process.env.POOLSITE_COOKIE);

export function withToken(token: string): Client {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

/** What was answered. Throws the problem if it is one. */
export function told<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.error !== undefined || answer.data === undefined) {
    throw new Error(`${answer.response.status}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

/** The answers of a request that sent many in one. */
export function many<One, Each>(answer: One | Each[]): Each[] {
  assert(Array.isArray(answer));
  return answer;
}

/** Ask until there is an answer: what is written to SQL or delivered follows within seconds. */
export async function waitFor<T>(what: () => Promise<T | undefined>): Promise<T> {
  const ends = Date.now() + deadlineMs;
  while (Date.now() < ends) {
    const found = await what();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error("nothing came in time");
}

export async function newToken(
  name: string,
  resources: string[],
  actions: string[],
  more: Partial<Schemas["ApiTokenIn"]> = {},
): Promise<Client> {
  const body = { name, account, resources, actions, ...more };
  return withToken(told(await operator.POST("/api/v1/tokens", { body })).token);
}
