"""The laws of a group's data, read key by key with plain commands and without any script."""

from collections import Counter
from typing import Any

PEER = (
    *("state", "incarnation", "link", "process", "profile", "name", "version", "capacity"),
    *("weight", "epoch", "since", "till", "held", "resync", "life"),
)
ROUTE = ("back", "fe", "be", "started", "deadline", "flags", "nf", "nb", "why", "offered")
NAME = ("manual", "flag", "back", "till", "weight")
HEALTH = ("since", "sessions", "failures", "times", "ejected_at", "until", "warm_at")
FULL, BACKUP = 1e15, 1e12


def broken(client: Any, tag: str) -> list[str]:
    """Return what contradicts the laws, each as a sentence; empty if nothing does."""
    head = client.hgetall(tag)
    if not head:
        return []
    return _Reader(client, tag, head).all()


class _Reader:
    def __init__(self, client: Any, tag: str, head: dict[str, str]) -> None:
        self.client, self.tag, self.head = client, tag, head
        self.peers = self._records("peers", PEER)
        self.routes = self._records("routes", ROUTE)
        self.names = self._records("names", NAME)
        self.seqs: dict[str, str] = client.hgetall(f"{tag}:seqs")
        self.health = self._records("health", HEALTH)
        self.backups = set(client.hkeys(f"{tag}:backups"))
        self.beats = dict(client.zrange(f"{tag}:beats", 0, -1, withscores=True))
        self.gone = dict(client.zrange(f"{tag}:gone", 0, -1, withscores=True))
        self.timers = dict(client.zrange(f"{tag}:timers", 0, -1, withscores=True))
        self.index = set(client.zrange(f"{tag}:index", 0, -1))
        self.ready = dict(client.zrange(f"{tag}:ready", 0, -1, withscores=True))
        self.out: dict[str, str] = client.hgetall(f"{tag}:out")
        self.clear = client.zrange(f"{tag}:clear", 0, -1)
        self.wrong: list[str] = []

    def _records(self, key: str, names: tuple[str, ...]) -> dict[str, dict[str, str]]:
        flat = self.client.hgetall(f"{self.tag}:{key}")
        return {
            name: dict(zip(names, _columns(text, key, names), strict=True))
            for name, text in flat.items()
        }

    def law(self, holds: bool, sentence: str) -> None:
        if not holds:
            self.wrong.append(sentence)

    def number(self, letter: str, peer: str) -> int:
        return int(self.seqs.get(letter + peer) or 0)

    def all(self) -> list[str]:
        self.states()
        self.outboxes()
        self.loads_and_index()
        self.selectable()
        self.ejections()
        self.history()
        return self.wrong

    def states(self) -> None:
        by_state = {s: {k for k, p in self.peers.items() if p["state"] == s} for s in "aps"}
        self.law(set(self.beats) == by_state["a"], "active peers and no others beat")
        self.law(set(self.gone) == by_state["p"], "pending peers and no others wait to be stopped")
        for key, due in self.gone.items():
            self.law(self.peers[key]["till"] == f"{due:.0f}", f"{key}: pending until one time")
        for key in by_state["a"]:
            self.law(self.peers[key]["link"] != "", f"{key} is active and has a link")
        for name, its in self.names.items():
            if its["back"]:
                peer = self.peers.get("b:" + its["back"])
                self.law(peer is not None and peer["name"] == name, f"{name} is its instance's")
                self.law(peer is not None and peer["state"] != "s", f"{name}: not a stopped one")

    def outboxes(self) -> None:
        held: dict[str, set[int]] = {}
        for field in self.out:
            peer, _, seq = field.partition("\t")
            held.setdefault(peer, set()).add(int(seq))
        conf = self.head["conf"]
        limit = int(conf[29:34]) + int(conf[34:40])
        for peer in {*held, *self.peers}:
            sent, acked = self.number("o", peer), self.number("a", peer)
            self.law(
                held.get(peer, set()) == set(range(acked + 1, sent + 1)),
                f"{peer}: its outbox is {acked + 1} to {sent}, gapless",
            )
            self.law(sent - acked <= limit + 1, f"{peer}: its outbox is bounded")
            entries = [self.out.get(f"{peer}\t{seq}", "") for seq in range(acked + 1, sent + 1)]
            ends = sum(entry.split("\t")[2:3] == ["buffered"] for entry in entries)
            self.law(ends == self.number("e", peer), f"{peer}: buffered ends are counted")
            starts = [entry.split("\t") for entry in entries if entry.startswith("start\t")]
            waits = sum(start[3] == "confirm" for start in starts)
            self.law(waits == self.number("w", peer), f"{peer}: starts to confirm are counted")
        for field in self.seqs:
            self.law(field[1:] in self.peers, f"{field}: numbers of no peer are kept")

    def live(self, peer: str, epoch: str) -> bool:
        its = self.peers.get(peer)
        return epoch != "" and its is not None and its["epoch"] == epoch and its["state"] != "s"

    def loads_and_index(self) -> None:
        loads: Counter[str] = Counter()
        index = set()
        for session, route in self.routes.items():
            front, back = "f:" + session.partition("/")[0], "b:" + route["back"]
            flags = route["flags"]
            self.law(flags in ("", "ef", "eb", "pf", "pb"), f"{session}: flags {flags}")
            offered = route["offered"].split()
            self.law(len(set(offered)) == len(offered), f"{session}: offered once to each")
            self.law(route["back"] not in offered, f"{session}: not offered to its instance again")
            if flags[:1] != "e":
                loads[front] += self.live(front, route["fe"])
                loads[back] += self.live(back, route["be"])
            if flags in ("", "ef", "pf"):
                index.add(session)
            if flags in ("", "eb", "pb"):
                index.add(f"={route['back']}\t{session}")
            lives = {life.rpartition("\t")[0] for life in self.clear}
            for peer, epoch in ((front, route["fe"]), (back, route["be"])):
                waits = f"{peer}\t{epoch}" in lives or flags[:1] == "e"
                okay = epoch == "" or self.live(peer, epoch) or waits
                self.law(okay, f"{session}: void by {peer}, and no sweep knows")
        self.law(index == self.index, "the index has the routes of each end, and no others")
        timed = {s for s, r in self.routes.items() if r["deadline"] or r["flags"][:1] == "p"}
        self.law(set(self.timers) == timed, "timed and provisional routes have their time")
        for peer in self.peers:
            self.law(self.number("n", peer) == loads[peer], f"{peer}: its load is its routes")

    def selectable(self) -> None:
        wanted = set()
        for key, peer in self.peers.items():
            if key[0] == "b" and peer["state"] == "a" and peer["resync"] == "0":
                its = self.names[peer["name"]]
                is_ejected = self.health.get(peer["name"], {}).get("ejected_at", "") != ""
                if its["manual"] == "o" and its["flag"] == "0" and not is_ejected:
                    wanted.add(key[2:])
        self.law(set(self.ready) == wanted, f"ready: {set(self.ready)}, not {wanted}")
        for back, score in self.ready.items():
            peer, load = self.peers["b:" + back], self.number("n", "b:" + back)
            self.law((score >= FULL) == (load >= int(peer["capacity"])), f"{back}: full or not")
            is_backup = score % FULL >= BACKUP
            self.law(is_backup == (peer["name"] in self.backups), f"{back}: in its tier")
            slow = self.head["conf"][75:79] not in ("", "0000")
            if self.head["conf"][1] != "t" and score < FULL and not slow:
                share = load / int(peer["weight"]) + BACKUP * is_backup
                self.law(abs(score - share) < (1e-3 if is_backup else 1e-9), f"{back}: its share")

    def ejections(self) -> None:
        for name, its in self.health.items():
            self.law(name in self.names, f"{name}: health of a name that there is")
            self.law(int(its["failures"]) <= int(its["sessions"]), f"{name}: failures of sessions")
            if its["ejected_at"]:
                first = self.head.get("until") or "0"
                self.law(0 < int(first) <= int(its["until"]), f"{name}: a start sees its return")
        ejected = sum(its["ejected_at"] != "" for its in self.health.values())
        self.law(int(self.head.get("ejected") or 0) == ejected, "the ejected are counted")
        self.law(self.backups <= set(self.names), "backups are names")

    def history(self) -> None:
        ids = [entry for entry, _ in self.client.xrange(f"{self.tag}:log")]
        wanted = [f"{n}-0" for n in range(1, int(self.head["seq"]) + 1)]
        self.law(ids == wanted, "the history is gapless")


def _columns(text: str, key: str, names: tuple[str, ...]) -> list[str]:
    """Return the columns of a record. A route that was offered once lacks the last one."""
    columns = text.split("\t")
    return [*columns, ""] if key == "routes" and len(columns) < len(names) else columns
