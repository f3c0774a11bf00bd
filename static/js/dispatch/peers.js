// Instances and front-ends, live: link, sessions, heartbeat age, rate, version, and what operators set.
import { followRows } from "../../live/rows.js";
import { h, icon, setText, skeleton } from "../shared/dom.js";
import { LiveTable } from "../shared/live_table.js";
import { peerVerbs, setVerbs } from "./verbs.js";
import { clockOf, decimal, figure, fill, gettext, momentOf, pgettext } from "../shared/words.js";

const LINKS = { active: ["chip--ok", "link", pgettext("link", "Active")], pending: ["chip--warn", "hourglass_top", pgettext("link", "Pending")], stop: ["chip--bad", "link_off", gettext("Stopped")] };
const MANUAL = { open: pgettext("state", "Open"), drain: gettext("Draining"), blocked: pgettext("instance", "Blocked") };

const isKnown = (value) => value !== null && value !== undefined;

/** Show the peers. `offerUpgrade` is called with whether an instance is linked. */
export function startPeers(page, offerUpgrade) {
  const ready = skeleton(document.querySelector("[data-instances-wait]"), gettext("Loading links…"));
  const tables = {
    back: new LiveTable("instances", instanceColumns(page), { mark: markPeer }),
    front: new LiveTable("fronts", frontColumns(page), { mark: markPeer }),
  };
  followRows(`dispatch.peers:${page.slug}`, (rows) => {
    ready();
    const all = Object.entries(rows).sort(([a], [b]) => a.localeCompare(b));
    for (const [kind, table] of Object.entries(tables)) {
      const some = all.filter(([, row]) => row.kind === kind);
      const active = some.filter(([, row]) => row.state === "active").length;
      table.draw(some, some.length ? fill(gettext("%(active)s of %(all)s active"), { active: figure(active), all: figure(some.length) }) : "");
    }
    const lost = all.map(([, row]) => row.told_lost).filter(isKnown);
    offerUpgrade(all.some(([, row]) => row.kind === "back" && row.state !== "stop"));
    setText(document.querySelector("[data-lost]"), lost.length ? figure(lost.reduce((sum, value) => sum + value, 0)) : "–");
  });
}

function markPeer(line, { state, manual, upgrading }, key) {
  Object.assign(line.dataset, { peer: key, state, ...(manual && { manual, upgrading }) });
}

/** Return the URL of the peer's page, or null for an instance that never registered. */
const leadOf = (page, row) => (row.id ? `${page.sessions_url}?peer=${encodeURIComponent(`${row.kind === "back" ? "b" : "f"}:${row.id}`)}` : null);

function putCount(count, row, page) {
  setText(count, sessionsOf(row));
  if (row.id) count.href = leadOf(page, row);
  else count.removeAttribute("href");
}

const nameColumn = (page) => ({ head: true, look: "name", told: ({ id }) => String(id), parts: (row) => [h("a", { href: leadOf(page, row) }, row.name)] });
const linkColumn = () => ({ label: gettext("Link"), told: ({ state }) => state, parts: linkOf });
const beatColumn = () => ({ label: gettext("Heartbeat"), look: "right", runs: true, text: beatOf });
const rateColumn = () => ({ label: gettext("Frames/s"), look: "right", text: ({ rate }) => decimal(rate) });

function instanceColumns(page) {
  const told = (row) => JSON.stringify([row.manual, row.upgrading, row.manual_by, row.manual_reason, row.manual_until_us, row.state, row.backup, row.ejected_until_us, row.share_percent]);
  return [
    nameColumn(page),
    linkColumn(),
    { label: gettext("Sessions"), write: (cell, row) => putSessions(cell, row, page) },
    beatColumn(),
    rateColumn(),
    { label: gettext("Version"), text: ({ version }) => version || "–" },
    { label: gettext("Manual state"), look: "dispatch-manual", told, parts: manualOf },
    ...(page.may_operate ? [{ look: "right full", told, parts: (row) => [h("span", { class: "dispatch-verbs" }, ...setVerbs(row))] }] : []),
  ];
}

function putSessions(cell, row, page) {
  if (!cell.firstChild) cell.append(h("span", { class: "bar-cell bar-cell--start" }, h("progress", { class: "bar", "aria-hidden": "true" }), h("a", { class: "num" })));
  const [bar, count] = cell.firstChild.children;
  bar.max = row.capacity || 1;
  bar.value = Math.min(row.sessions, row.capacity || 1);
  putCount(count, row, page);
}

/** Show the operator's state with who, why and until; also a drain by an upgrade, the ejection and the tier. */
function manualOf(row) {
  const found = [row.manual === "open" ? h("span", {}, MANUAL.open) : h("span", { class: "chip" }, icon(row.manual === "drain" ? "water_drop" : "block"), MANUAL[row.manual])];
  if (row.upgrading) found.push(" ", h("span", { class: "chip" }, icon("upgrade"), pgettext("instance", "Draining for an upgrade")));
  if (row.manual !== "open") {
    const until = row.manual_until_us ? fill(gettext(", until %(at)s"), { at: momentOf(row.manual_until_us / 1000) }) : "";
    found.push(h("span", { class: "dispatch-why" }, `${row.manual_by}: ${row.manual_reason}${until}`));
  }
  if (row.backup) found.push(" ", h("span", { class: "chip" }, pgettext("instance", "Backup")));
  if (row.ejected_until_us) found.push(" ", h("span", { class: "chip chip--bad" }, icon("eject"), fill(gettext("Ejected until %(at)s"), { at: momentOf(row.ejected_until_us / 1000) })));
  else if (row.share_percent < 100) found.push(" ", h("span", { class: "chip" }, fill(gettext("Slow start: %(percent)s%"), { percent: figure(row.share_percent) })));
  return found;
}

function frontColumns(page) {
  const lostOf = (row) => (row.told_lost === null ? "–" : fill(gettext("%(lost)s of %(all)s"), { lost: figure(row.told_lost), all: figure(row.told_started) }));
  const waitingOf = (row) => (row.buffered_ends ? fill(gettext("%(n)s, %(ends)s ends kept"), { n: figure(row.unacked), ends: figure(row.buffered_ends) }) : figure(row.unacked));
  const sessions = (cell, row) => {
    if (!cell.firstChild) cell.append(h("a", { class: "num" }));
    putCount(cell.firstChild, row, page);
  };
  return [
    nameColumn(page),
    { label: gettext("Protocol"), text: ({ profile }) => profile || "–" },
    linkColumn(),
    { label: gettext("Sessions"), look: "right", write: sessions },
    beatColumn(),
    rateColumn(),
    { label: gettext("Unacknowledged"), look: "right", text: waitingOf },
    { label: gettext("Lost (reported)"), look: "right", text: lostOf },
    ...(page.may_operate ? [{ look: "right", parts: (_, key) => [peerVerbs(key)] }] : []),
  ];
}

function linkOf({ state }) {
  const [look, name, word] = LINKS[state] ?? LINKS.stop;
  return [h("span", { class: `chip ${look}` }, icon(name), word)];
}

/** Return the number of sessions; for an instance also its capacity. */
export const sessionsOf = (row) => (row.kind === "back" ? `${figure(row.sessions)} / ${figure(row.capacity)}` : figure(row.sessions));

/** Return the age of the last frame; for a pending peer, the time left of its disconnect timer. */
export function beatOf(row) {
  const now = Date.now() / 1000;
  if (row.state === "pending" && row.pending_until_us) return fill(gettext("%(time)s left"), { time: clockOf(row.pending_until_us / 1e6 - now) });
  if (row.heard_us === null) return "–";
  return clockOf(now - row.heard_us / 1e6);
}
