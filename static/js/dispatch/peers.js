// Instances and front-ends live: link, sessions, heartbeat age, rate, version, and what people set.
import { followRows } from "../../live/rows.js";
import { h, icon, setText, skeleton } from "../shared/dom.js";
import { peerVerbs, setVerbs } from "./verbs.js";
import { clockOf, decimal, figure, fill, gettext, momentOf, pgettext } from "../shared/words.js";

const LINKS = { active: ["chip--ok", "link", pgettext("link", "Active")], pending: ["chip--warn", "hourglass_top", pgettext("link", "Pending")], stop: ["chip--bad", "link_off", gettext("Stopped")] };
const MANUAL = { open: pgettext("state", "Open"), drain: gettext("Draining"), blocked: pgettext("instance", "Blocked") };

export function startPeers(page) {
  const ready = skeleton(document.querySelector("[data-instances-wait]"), gettext("Loading links…"));
  const tables = {
    back: new PeerTable("instances", page, instanceCells, showInstance),
    front: new PeerTable("fronts", page, frontCells, showFront),
  };
  followRows(`dispatch.peers:${page.slug}`, (rows) => {
    ready();
    const all = Object.entries(rows);
    for (const [kind, table] of Object.entries(tables)) table.draw(all.filter(([, row]) => row.kind === kind));
    const lost = all.map(([, row]) => row.told_lost).filter((value) => value !== null && value !== undefined);
    setText(document.querySelector("[data-lost]"), lost.length ? figure(lost.reduce((sum, value) => sum + value, 0)) : "–");
  });
  setInterval(() => { if (!document.hidden) for (const table of Object.values(tables)) table.tick(); }, 1000);
}

/** One table of peers; rows keep their place by name. */
class PeerTable {
  constructor(name, page, cells, show) {
    this.table = document.querySelector(`[data-${name}]`);
    this.empty = document.querySelector(`[data-${name}-empty]`);
    this.hint = document.querySelector(`[data-${name}-hint]`);
    Object.assign(this, { page, cells, show, lines: new Map() });
  }

  draw(rows) {
    const sorted = rows.sort(([a], [b]) => a.localeCompare(b));
    const known = new Set(sorted.map(([key]) => key));
    for (const [key, made] of this.lines) {
      if (known.has(key)) continue;
      made.line.remove();
      this.lines.delete(key);
    }
    sorted.forEach(([key, row], place) => {
      if (!this.lines.has(key)) this.lines.set(key, this.cells(key, row, this.page));
      const made = this.lines.get(key);
      made.row = row;
      this.show(made, row, this.page);
      const body = this.table.tBodies[0];
      if (body.children[place] !== made.line) body.insertBefore(made.line, body.children[place] ?? null);
    });
    this.table.hidden = !sorted.length;
    this.empty.hidden = sorted.length > 0;
    const active = sorted.filter(([, row]) => row.state === "active").length;
    setText(this.hint, sorted.length ? fill(gettext("%(active)s of %(all)s active"), { active: figure(active), all: figure(sorted.length) }) : "");
    this.tick();
  }

  tick() {
    for (const { parts, row } of this.lines.values()) setText(parts.beat, beatOf(row));
  }
}

const cell = (label, right = false, more = "") => h("td", { class: `${right ? "right " : ""}${more}`.trim(), "data-label": label });
const sessionsUrl = (page, row) => `${page.sessions_url}?peer=${encodeURIComponent(`${row.kind === "back" ? "b" : "f"}:${row.id}`)}`;

/** Name and count are links to the peer's page; an instance that never came has none. */
function leadToSessions({ name, count }, row, page) {
  for (const link of [name, count]) {
    if (row.id) link.href = sessionsUrl(page, row);
    else link.removeAttribute("href");
  }
}

function instanceCells(key, row, page) {
  const bar = h("progress", { class: "bar", "aria-hidden": "true" });
  const count = h("a", { class: "num" });
  const sessions = cell(gettext("Sessions"));
  sessions.append(h("span", { class: "bar-cell bar-cell--start" }, bar, count));
  const parts = { link: cell(gettext("Link")), sessions, beat: cell(gettext("Heartbeat"), true), rate: cell(gettext("Frames/s"), true), version: cell(gettext("Version")), manual: cell(gettext("Manual state"), false, "dispatch-manual") };
  const name = h("a", {}, row.name);
  const line = h("tr", { "data-peer": key }, h("th", { scope: "row", class: "name" }, name), ...Object.values(parts));
  if (page.may_operate) {
    parts.verbs = h("td", { class: "right full" });
    line.append(parts.verbs);
  }
  return { line, parts, name, bar, count, row };
}

function showInstance(made, row, page) {
  const { parts, bar, count, line } = made;
  showLink(parts.link, line, row);
  bar.max = row.capacity || 1;
  bar.value = Math.min(row.sessions, row.capacity || 1);
  setText(count, sessionsOf(row));
  leadToSessions(made, row, page);
  setText(parts.rate, decimal(row.rate));
  setText(parts.version, row.version || "–");
  const told = `${row.manual} ${row.upgrading} ${row.manual_by} ${row.manual_reason} ${row.manual_until_us} ${row.state} ${row.backup} ${row.ejected_until_us} ${row.share_percent}`;
  if (parts.manual.dataset.told === told) return;
  parts.manual.dataset.told = told;
  line.dataset.manual = row.manual;
  line.dataset.upgrading = String(row.upgrading);
  parts.manual.replaceChildren(...manualOf(row));
  if (parts.verbs) parts.verbs.replaceChildren(h("span", { class: "dispatch-verbs" }, ...setVerbs(row)));
}

/** The operator's state with who, why and until; beside it the upgrade's own drain, the ejection and the tier. */
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

function frontCells(key, row, page) {
  const count = h("a", { class: "num" });
  const sessions = cell(gettext("Sessions"), true);
  sessions.append(count);
  const parts = { profile: cell(gettext("Protocol")), link: cell(gettext("Link")), sessions, beat: cell(gettext("Heartbeat"), true), rate: cell(gettext("Frames/s"), true), waiting: cell(gettext("Unacknowledged"), true), lost: cell(gettext("Lost (reported)"), true) };
  const name = h("a", {}, row.name);
  const line = h("tr", { "data-peer": key }, h("th", { scope: "row", class: "name" }, name), ...Object.values(parts));
  if (page.may_operate) line.append(h("td", { class: "right" }, peerVerbs(key)));
  return { line, parts, name, count, row };
}

function showFront(made, row, page) {
  const { parts, count, line } = made;
  showLink(parts.link, line, row);
  setText(parts.profile, row.profile || "–");
  setText(count, sessionsOf(row));
  leadToSessions(made, row, page);
  setText(parts.rate, decimal(row.rate));
  setText(parts.waiting, row.buffered_ends ? fill(gettext("%(n)s, %(ends)s ends kept"), { n: figure(row.unacked), ends: figure(row.buffered_ends) }) : figure(row.unacked));
  setText(parts.lost, row.told_lost === null ? "–" : fill(gettext("%(lost)s of %(all)s"), { lost: figure(row.told_lost), all: figure(row.told_started) }));
}

function showLink(place, line, row) {
  if (line.dataset.state === row.state) return;
  line.dataset.state = row.state;
  const [look, name, word] = LINKS[row.state] ?? LINKS.stop;
  place.replaceChildren(h("span", { class: `chip ${look}` }, icon(name), word));
}

/** How many it has, of an instance with how many it takes. */
export const sessionsOf = (row) => (row.kind === "back" ? `${figure(row.sessions)} / ${figure(row.capacity)}` : figure(row.sessions));

/** Age of the last frame; a pending peer's: what is left of its disconnect timer. */
export function beatOf(row) {
  const now = Date.now() / 1000;
  if (row.state === "pending" && row.pending_until_us) return fill(gettext("%(time)s left"), { time: clockOf(row.pending_until_us / 1e6 - now) });
  if (row.heard_us === null) return "–";
  return clockOf(now - row.heard_us / 1e6);
}
