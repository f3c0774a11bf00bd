// Numbers, the waiting line, a gate and the dispatcher, each from its creation to its use.

import assert from "node:assert/strict";
import { account, many, newToken, operator, told, waitFor, withToken, type Schemas } from "./connection.js";

/** A pool with two numbers, a switch, a call. */
export async function drivePool(): Promise<void> {
  const path = { slug: `${account}-pool` };
  const settings = { slug: path.slug, account, name: "Outbound", cooldown_seconds: 0 };
  told(await operator.POST("/api/v1/pools", { body: settings }));
  const first = account.endsWith("py") ? 13_800_000_000 : 13_900_000_000;
  const numbers = [`+86${first}`, `+86${first + 1}`];
  const added = told(
    await operator.POST("/api/v1/pools/{slug}/numbers", {
      params: { path },
      body: { numbers: numbers.map((number) => ({ number })) },
    }),
  );
  assert.equal(added.added, numbers.length);
  const made = told(
    await operator.POST("/api/v1/pools/{slug}/switches", { params: { path }, body: { name: "fs-01" } }),
  );
  const fs = withToken(made.token);
  const send = async (body: Schemas["Event"] | Schemas["Event"][]) =>
    told(await fs.POST("/api/v1/pools/{slug}/events", { params: { path }, body }));
  const ready = many(await send(numbers.map((number) => ({ event: "reg" as const, number }))));
  assert.deepEqual(ready.map((answer) => answer.status), [200, 200]);
  const call = await send({ event: "call", call_id: "call-1", agent: "1042", callee: "+8613700000000" });
  assert(!Array.isArray(call) && call.number && numbers.includes(call.number));
  const ended = await send({ event: "hangup", call_id: "call-1", answered: true, talk_seconds: 61 });
  assert(!Array.isArray(ended) && ended.number === call.number);
  const seen = told(await operator.GET("/api/v1/pools/{slug}", { params: { path } }));
  assert.equal(seen.numbers, numbers.length);
  const recorded = await waitFor(async () => {
    const query = { call_id: "call-1" };
    return told(await operator.GET("/api/v1/pools/{slug}/calls", { params: { path, query } })).data[0];
  });
  assert.equal(recorded.number, call.number);
  console.log(`pool: ${call.number} called`);
}

/** A desk with a queue that offers visits; an agent accepts one and ends it. */
export async function driveLine(): Promise<void> {
  const path = { slug: `${account}-desk` };
  const queue = `${account}-queue`;
  told(await operator.POST("/api/v1/desks", { body: { slug: path.slug, name: "Support", account } }));
  told(
    await operator.POST("/api/v1/desks/{slug}/queues", {
      params: { path },
      body: { slug: queue, name: "Orders", mode: "offer", offer_seconds: 120, ttl_seconds: 300 },
    }),
  );
  const people = told(await operator.GET("/api/v1/desks/{slug}/candidates", { params: { path } })).data;
  const agent = people[0]?.user;
  assert(agent !== undefined);
  told(
    await operator.POST("/api/v1/desks/{slug}/agents", {
      params: { path },
      body: { user: agent, name: "Mei", queues: [queue] },
    }),
  );
  const desk = await newToken("console", [`desk:${path.slug}`], ["line.visit", "line.serve"]);
  const params = { query: { agent } };
  told(await desk.POST("/api/v1/agent/login", { params, body: {} }));
  const joined = told(
    await desk.POST("/api/v1/queues/{slug}/join", {
      params: { path: { slug: queue } },
      body: { name: "Zoe", topic: "An order", contact: "zoe@example.org" },
    }),
  );
  const visit = joined.visit;
  const offered = told(await desk.POST("/api/v1/agent/login", { params, body: {} }));
  const accepted = told(
    await desk.POST("/api/v1/agent/accept", { params, body: { visit, token: offered.offer_token } }),
  );
  assert.deepEqual(accepted.slots.map((slot) => [slot.kind, slot.visit]), [["room", visit]]);
  told(await desk.POST("/api/v1/agent/finish", { params, body: { visit } }));
  const seen = told(await desk.GET("/api/v1/visits/{visit}", { params: { path: { visit } } }));
  assert.equal(seen.answer, "ended");
  console.log(`line: visit ${visit} served`);
}

/** A gate: a permit is acquired, renewed and released; a device carries out a batch's task. */
export async function driveGate(): Promise<void> {
  const path = { slug: `${account}-gate` };
  const holder = "worker-1";
  told(await operator.POST("/api/v1/gates", { body: { slug: path.slug, account, cap: 5 } }));
  const actions = ["admission.view", "admission.use", "admission.batch"];
  const client = await newToken("holder", [`gate:${path.slug}`], actions);
  const permit = told(
    await client.POST("/api/v1/gates/{slug}/acquire", { params: { path }, body: { holder } }),
  );
  assert(permit.granted && typeof permit.token === "number");
  const { token } = permit;
  const renewed = told(
    await client.POST("/api/v1/gates/{slug}/renew", { params: { path }, body: { holder, token } }),
  );
  assert(renewed.granted);
  const body = { holder, token: renewed.token ?? token, ok: true, took_ms: 120 };
  const back = told(await client.POST("/api/v1/gates/{slug}/release", { params: { path }, body }));
  assert(back.released);
  const hour = 3_600_000;
  const batch = told(
    await client.POST("/api/v1/gates/{slug}/batches", {
      params: { path },
      body: {
        name: "Firmware",
        opens_at: new Date(Date.now() - hour).toISOString(),
        closes_at: new Date(Date.now() + hour).toISOString(),
        csv: `${account}-d1,upgrade`,
      },
    }),
  );
  const report = async (results: Schemas["TaskResult"][] = []) => {
    const params = { path: { device: `${account}-d1` } };
    return told(await client.POST("/api/v1/devices/{device}/report", { params, body: { results } }));
  };
  const given = await waitFor(async () => {
    const answer = await report();
    return answer.task ? answer : undefined;
  });
  assert(given.task && typeof given.token === "number");
  assert.equal(given.payload, "upgrade");
  const taken = await report([{ task: given.task, token: given.token, ok: true }]);
  assert.equal(taken.results?.[0]?.outcome, "accepted");
  await waitFor(async () => {
    const place = { path: { ...path, batch: batch.id } };
    const found = told(await client.GET("/api/v1/gates/{slug}/batches/{batch}", { params: place }));
    return found.done === 1 && found.total === 1 ? found : undefined;
  });
  const seen = told(await client.GET("/api/v1/gates/{slug}", { params: { path } }));
  assert.deepEqual([seen.used, seen.granted], [0, 2]);
  console.log("gate: a permit and a task done");
}

/** A group of servers with its settings; an instance, its sessions, its state. */
export async function driveDispatcher(): Promise<void> {
  const path = { slug: `${account}-group` };
  const settings = { slug: path.slug, name: "Servers", heartbeat_seconds: 5 };
  told(await operator.POST("/api/v1/groups", { body: settings }));
  const change = { out_limit: 500, reason: "More messages at once" };
  const group = told(await operator.PATCH("/api/v1/groups/{slug}", { params: { path }, body: change }));
  assert.deepEqual([group.out_limit, group.heartbeat_seconds], [500, 5]);
  const actions = ["dispatch.view", "dispatch.operate"];
  const servers = await newToken("servers", [`group:${path.slug}`], actions, { account: null });
  const linked = async () => {
    const answer = await servers.GET("/api/v1/groups/{slug}/instances", { params: { path } });
    return told(answer).find((one) => one.sessions > 0);
  };
  const { id, name } = await waitFor(linked);
  const query = { peer: `b:${id}` };
  const page = told(await servers.GET("/api/v1/groups/{slug}/sessions", { params: { path, query } }));
  assert.deepEqual(page.data.map((one) => one.instance), [name]);
  const { response } = await servers.POST("/api/v1/groups/{slug}/instances/{name}/manual", {
    params: { path: { ...path, name } },
    body: { state: "drain", reason: "Maintenance" },
  });
  assert.equal(response.status, 204);
  assert.equal((await linked())?.manual, "drain");
  console.log(`dispatcher: ${name} has a session and drains`);
}
