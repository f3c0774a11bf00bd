// Webhooks: an endpoint is registered, and a test event received and verified.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { account, owner, told, waitFor } from "./connection.js";
import { verify } from "./verify.mjs"; // a copy of integrations/webhooks/verify.mjs

/** An endpoint of ours gets a test event, signed with the endpoint's secret. */
export async function driveWebhooks(): Promise<void> {
  let take: (got: { body: Buffer; signature: string }) => void = () => {};
  const received = new Promise<{ body: Buffer; signature: string }>((resolve) => (take = resolve));
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.writeHead(204).end();
    take({ body: Buffer.concat(parts), signature: String(request.headers["poolsite-signature"]) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  try {
    const made = told(
      await owner.POST("/api/v1/webhooks", {
        body: { name: "CRM", url, events: ["message.failed"], account },
      }),
    );
    const place = { slug: made.id };
    const sent = told(await owner.POST("/api/v1/webhooks/{slug}/test", { params: { path: place } }));
    const params = { path: { ...place, delivery: sent.id } };
    const event = await waitFor(async () => {
      const found = told(
        await owner.GET("/api/v1/webhooks/{slug}/deliveries/{delivery}", { params }),
      );
      return found.state === "delivered" ? found : undefined;
    });
    const got = await received;
    assert(verify(made.secret, got.body, got.signature));
    assert.equal(JSON.parse(got.body.toString()).id, event.event);
    console.log(`webhooks: ${event.type} received`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
