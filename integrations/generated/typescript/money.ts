// Messages and money: from the tariff and a top-up to the month's statement and invoice.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { account, many, newToken, operator, owner, told, waitFor, withToken, type Client } from "./connection.js";

const { POOLSITE_FILES: files = "" } = process.env;
const price = 800; // amounts are counted in 1/10 000 of the currency, so that sums are exact
const topUpAmount = 500_000;
const began = new Date().toISOString();
const path = { slug: account };

/** A tariff, a top-up, messages, and a statement and invoice that agree with our own figures. */
export async function driveBilling(): Promise<void> {
  const tariff = { name: "Standard", prices: { native_text: { unit_price: "0.0800" } } };
  told(await operator.POST("/api/v1/accounts/{slug}/tariffs", { params: { path }, body: tariff }));
  const chatbot = { id: "news", name: "News" };
  told(await owner.POST("/api/v1/accounts/{slug}/chatbots", { params: { path }, body: chatbot }));
  const made = told(
    await owner.POST("/api/v1/accounts/{slug}/chatbots/{chatbot}/token", {
      params: { path: { ...path, chatbot: chatbot.id } },
    }),
  );
  const sender = withToken(made.token);
  const platform = { account: null, events: ["settle"] };
  const gateway = await newToken("gateway", [`wallet:${account}`], ["billing.hold"], platform);
  const opening = await balance(sender);
  await topUp();
  assert.equal(await balance(sender), opening + topUpAmount);
  const charged = await sendMessages(sender, gateway);
  assert.equal(await balance(sender), opening + topUpAmount - charged);
  const last = await checkStatement(sender, opening, charged);
  await checkInvoice(sender, last);
}

async function balance(client: Client): Promise<number> {
  const answer = await client.GET("/api/v1/accounts/{slug}/balance", { params: { path } });
  return units(told(answer).spendable);
}

/** Start a top-up, and wait until the customer has paid on the page at its `url`. */
async function topUp(): Promise<void> {
  const body = { amount: String(topUpAmount / 10_000), provider: "stripe" };
  const made = told(await owner.POST("/api/v1/accounts/{slug}/top-ups", { params: { path }, body }));
  const params = { path: { ...path, top_up: made.id } };
  const credited = await waitFor(async () => {
    const found = told(await owner.GET("/api/v1/accounts/{slug}/top-ups/{top_up}", { params }));
    return found.credited_at ? found : undefined;
  });
  console.log(`billing: top-up ${credited.number} credited`);
}

/** Three are held; two are sent and delivered, one is cancelled. Returns what they cost. */
async function sendMessages(sender: Client, gateway: Client): Promise<number> {
  const [one, two, three] = [0, 1, 2].map((number) => `${account}-m${number}`) as [string, string, string];
  const params = { path };
  const holds = [one, two, three].map((message_id) => ({ message_id, text: "Hello" }));
  const held = many(told(await sender.POST("/api/v1/accounts/{slug}/holds", { params, body: holds })));
  assert.deepEqual(held.map((answer) => units(answer.held)), [price, price, price]);
  const sent = many(
    told(await sender.POST("/api/v1/accounts/{slug}/sent", { params, body: [{ message_id: one }, two] })),
  );
  assert.deepEqual(sent.map((answer) => answer.state), ["sent", "sent"]);
  const cancelled = told(
    await sender.POST("/api/v1/accounts/{slug}/cancellations", { params, body: { message_id: three } }),
  );
  assert(!Array.isArray(cancelled) && cancelled.state === "cancelled");
  for (const message_id of [one, two]) {
    const body = { message_id, final: true, delivered: true, mode: "native_text" as const };
    const settled = told(
      await gateway.POST("/api/v1/accounts/{slug}/settlements", { params, body }),
    );
    assert(!Array.isArray(settled) && settled.state === "settled");
  }
  const found = told(
    await sender.GET("/api/v1/accounts/{slug}/messages/{message_id}", {
      params: { path: { ...path, message_id: one } },
    }),
  );
  assert.deepEqual([found.state, units(found.charged)], ["settled", price]);
  return 2 * price;
}

/** The running month agrees with what we did; the month before is final: it is returned. */
async function checkStatement(
  sender: Client,
  opening: number,
  charged: number,
): Promise<{ month: string; charges: string }> {
  const month = await waitFor(async () => {
    const answer = await sender.GET("/api/v1/accounts/{slug}/statements", { params: { path } });
    const [newest] = told(answer).months;
    return newest && units(newest.charges) === charged ? newest : undefined;
  });
  const closing = opening + topUpAmount - charged;
  const figures = [month.opening, month.top_ups, month.charges, month.adjustments, month.closing];
  assert.deepEqual(figures.map(units), [opening, topUpAmount, charged, 0, closing]);
  assert.deepEqual(month.by_mode.map((line) => [line.name, line.count]), [["native_text", 2]]);
  const recent = { path, query: { since: began } };
  const used = told(await sender.GET("/api/v1/accounts/{slug}/messages", { params: recent }));
  assert.equal(used.data.reduce((sum, row) => sum + units(row.charged), 0), charged);
  const running = { path: { ...path, month: month.month } };
  const text = told(
    await sender.GET("/api/v1/accounts/{slug}/statements/{month}/csv", { params: running, parseAs: "text" }),
  );
  checkRows(text.trim().split("\r\n").map((line) => line.split(",")), closing);
  writeFileSync(`${files}/${account}.csv`, text);
  const day = new Date(`${month.month}-01T00:00:00Z`);
  day.setUTCDate(0);
  const before = { path: { ...path, month: day.toISOString().slice(0, 7) } };
  const last = told(await sender.GET("/api/v1/accounts/{slug}/statements/{month}", { params: before }));
  assert.deepEqual([last.state, units(last.closing)], ["final", opening]);
  const pdf = told(
    await sender.GET("/api/v1/accounts/{slug}/statements/{month}/pdf", {
      params: before,
      parseAs: "arrayBuffer",
    }),
  );
  writeFileSync(`${files}/${account}.pdf`, new Uint8Array(pdf));
  console.log(`billing: statement of ${month.month} adds up, closing ${closing / 10_000}`);
  return last;
}

/** The invoice of a complete month is its statement's charges: lines, taxes and files. */
async function checkInvoice(sender: Client, last: { month: string; charges: string }): Promise<void> {
  const profile = {
    legal_name: "Acme Ltd",
    address: "1 Lake Road\nShanghai",
    country: "CN",
    tax_id: "91310000",
    treatment: "standard" as const,
  };
  const params = { path };
  told(await owner.PUT("/api/v1/accounts/{slug}/tax-profile", { params, body: profile }));
  const made = told(
    await operator.POST("/api/v1/accounts/{slug}/invoices", { params, body: { month: last.month } }),
  );
  const listed = told(
    await sender.GET("/api/v1/accounts/{slug}/invoices", { params: { path, query: { month: last.month } } }),
  );
  assert.deepEqual(listed.data.map((row) => row.id), [made.id]);
  const one = { path: { ...path, invoice: made.id } };
  const invoice = told(await sender.GET("/api/v1/accounts/{slug}/invoices/{invoice}", { params: one }));
  const total = units(invoice.total);
  const sum = (amounts: string[]) => amounts.map(units).reduce((all, each) => all + each, 0);
  assert.equal(total, units(last.charges));
  assert.equal(sum([invoice.net, invoice.tax]), total);
  assert.equal(sum(invoice.lines.map((line) => line.amount)), total);
  assert.equal(sum(invoice.taxes.map((tax) => tax.tax)), units(invoice.tax));
  assert.equal(invoice.customer.name, profile.legal_name);
  const text = told(
    await sender.GET("/api/v1/accounts/{slug}/invoices/{invoice}/csv", { params: one, parseAs: "text" }),
  );
  const [head = [], ...rows] = text.trim().split("\r\n").map((line) => line.split(","));
  assert.equal(sum(rows.map((row) => row[head.indexOf("amount")] ?? "")), total);
  const pdf = told(
    await sender.GET("/api/v1/accounts/{slug}/invoices/{invoice}/pdf", {
      params: one,
      parseAs: "arrayBuffer",
    }),
  );
  writeFileSync(`${files}/${account}-invoice.pdf`, new Uint8Array(pdf));
  console.log(`billing: invoice ${invoice.number} of ${total / 10_000} for ${last.month}`);
}

/** Each entry of the month: in less out, held in less held out, and the balance at the end. */
function checkRows([head = [], ...rows]: string[][], closing: number): void {
  const column = (name: string) => rows.map((row) => units(row[head.indexOf(name)]));
  const total = (name: string) => column(name).reduce((sum, each) => sum + each, 0);
  const charged = total("out") - total("in") + topUpAmount - (total("held in") - total("held out"));
  assert.equal(charged, 2 * price);
  assert.equal(column("balance").at(-1), closing);
}

/** The units of an amount such as "12.5000". */
function units(amount: string | null | undefined): number {
  return Math.round(Number(amount || 0) * 10_000);
}
