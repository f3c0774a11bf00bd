// One peer, above the list of its sessions: the figures are live. When the peer's state changes, the page reloads.
import { followRows } from "../../live/rows.js";
import { pageData, setText } from "../shared/dom.js";
import { beatOf, sessionsOf } from "./peers.js";
import { isOutdated } from "../shared/outdated.js";

const STATE = ["state", "since_us", "version", "manual", "manual_since_us", "manual_until_us", "upgrading", "backup", "ejected_until_us"];
const page = pageData("peer-page");
let peer = page.peer;

followRows(`dispatch.peers:${page.slug}`, function show(rows) {
  const found = Object.values(rows).find(({ kind, id }) => kind === page.peer.kind && id === page.peer.id);
  const differs = found ? STATE.some((name) => found[name] !== page.peer[name]) : page.peer.state !== "stop";
  if (isOutdated(differs, () => show(rows)) || !found) return;
  peer = found;
  setText(document.querySelector("[data-peer-sessions]"), sessionsOf(peer));
  tick();
});

function tick() {
  setText(document.querySelector("[data-peer-beat]"), beatOf(peer));
}

setInterval(() => { if (!document.hidden) tick(); }, 1000);
tick();
