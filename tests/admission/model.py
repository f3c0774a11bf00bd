"""The gate in plain Python: what the Lua must answer and store.

Tokens are taken from the gate's answers; the machine checks that they rise.
"""

from dataclasses import dataclass, field

from queueing.admission.gate import GateSettings

SECOND = 1_000_000
TRUSTED_US = 3 * SECOND  # how far the clock may advance between two commands and still be believed


@dataclass
class Permit:
    token: int
    deadline: int
    granted: int
    task: int | None = None
    weight: int = 1


@dataclass
class Task:
    device: str
    batch: int
    state: str = "p"
    attempt: int = 1
    tokens: list[int] = field(default_factory=list)
    late: set[int] = field(default_factory=set)
    told: bool = False  # decided by a result


@dataclass
class Batch:
    status: str
    ends: int
    closed: int | None = None


@dataclass
class GateModel:
    settings: GateSettings
    now: int
    cap: int
    status: str = "o"
    permits: dict[str, Permit] = field(default_factory=dict)
    line: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    wants: dict[str, int] = field(default_factory=dict)  # weights of those in the line
    starts: list[int] = field(default_factory=list)
    tasks: dict[int, Task] = field(default_factory=dict)
    batches: dict[int, Batch] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    last: int = 0  # the last time that the gate saw
    lag: int = 0
    settles: int = 0
    behind: bool = False  # the clock was put back, and no sweep has run since
    corrected: bool = False  # this command was that sweep

    # -- permits -----------------------------------------------------------------------------

    def add(self, counter: str) -> None:
        self.counts[counter] = self.counts.get(counter, 0) + 1

    def doubt(self) -> tuple[int, int]:
        """Return how far deadlines are behind the clock, and until when."""
        length = self.settings.permit_seconds * SECOND
        settled = not self.now < self.settles <= self.now + length
        lag, settles = (0, 0) if settled else (self.lag, self.settles)
        ahead = self.now - self.last - TRUSTED_US
        if ahead <= 0:
            return lag, settles
        return lag + ahead, settles if lag else self.now + length

    @property
    def due(self) -> int:
        """Return the time up to which deadlines have passed."""
        return self.now - self.doubt()[0]

    def saw(self, clock: int, text: str, *, decided: bool) -> None:
        """Store the time as the gate does: all of it, or nothing if that was just done."""
        lag, settles = self.doubt()
        if clock != self.last or not decided:
            assert clock in (self.last, self.now)
        if clock == self.now:
            self.behind = (self.behind or self.now < self.last) and not self.corrected
            known = f"{lag:016d}{settles:016d}" if lag or self.behind else ""
            assert text == known + "b" * self.behind
            self.last, self.lag, self.settles = self.now, lag, settles
        assert not decided or abs(self.now - clock) <= SECOND
        self.corrected = False

    def live(self, who: str) -> bool:
        return who in self.permits and self.permits[who].deadline > self.due

    @property
    def used(self) -> int:
        return sum(p.weight for p in self.permits.values() if p.deadline > self.due)

    def forget_silent(self) -> None:
        if self.due < self.now:
            return
        gone = {
            who
            for who, at in self.seen.items()
            if at < self.now - 2 * self.settings.period_seconds * SECOND
        }
        self.line = [who for who in self.line if who not in gone]
        self.seen = {who: at for who, at in self.seen.items() if who not in gone}

    def turn(self, who: str, weight: int = 1) -> str:
        rank, kept = 0, 0
        if self.settings.fair:
            self.forget_silent()
            rank = self.line.index(who) if who in self.line else len(self.line)
            ahead = (self.wants[other] for other in self.line[:rank])
            kept = sum(wanted for wanted in ahead if wanted > 1)
        free = self.cap - self.used
        if self.status == "p":
            return "paused"
        if free < weight:
            return "full"
        if self.rate_is_over(weight):
            return "rate"
        left = free - kept - weight
        if self.settings.fair and (left < 0 or rank >= self.settings.look_ahead * (left + 1)):
            return "turn"
        return ""

    def rate_is_over(self, weight: int = 1) -> bool:
        rate = self.settings.rate_per_second
        room = max(1, rate - weight + 1)  # this many earlier starts are too many
        return bool(rate) and len(self.starts) >= room and self.starts[-room] + SECOND > self.now

    def stand(self, who: str, weight: int = 1) -> None:
        if self.settings.fair:
            if who not in self.line:
                self.line.append(who)
            self.seen[who] = self.now
            self.wants[who] = weight

    def leave(self, who: str) -> None:
        if who in self.line:
            self.line.remove(who)
            del self.seen[who]

    def place(self, who: str) -> int | None:
        return self.line.index(who) + 1 if who in self.line else None

    def give(self, who: str, token: int, task: int | None = None, weight: int = 1) -> None:
        deadline = self.now + self.settings.permit_seconds * SECOND
        self.permits[who] = Permit(token, deadline, self.now, task, weight)
        self.starts += [self.now] * weight
        self.add("granted")

    def expire(self, who: str, event: str = "expired") -> None:
        task = self.permits.pop(who).task
        self.add(event)
        if task is not None:
            self.give_back(self.tasks[task])

    def acquire(self, who: str, weight: int = 1, *, waits: bool = False) -> str:
        """Return "" if granted (the caller then calls give()), "repeat", or the reason why not."""
        if self.live(who):
            return "repeat" if self.permits[who].weight == weight else "other weight"
        if who in self.permits:
            self.expire(who)
        if weight > self.cap:
            self.leave(who)
            return "weight over cap"
        reason = self.turn(who, weight)
        if reason:
            self.stand(who, weight)
            if not waits:
                self.add("refused")
        else:
            self.leave(who)
        return reason

    def release(self, who: str, token: int) -> str:
        if who not in self.permits:
            return "not held"
        if self.permits[who].token != token:
            return "other token"
        if not self.live(who):
            self.add("overrun")
            return "late"
        del self.permits[who]
        self.add("released")
        return ""

    def renew(self, who: str, token: int) -> str:
        reason = ""
        if who not in self.permits:
            reason = "not held"
        elif self.permits[who].token != token:
            reason = "other token"
        elif not self.live(who):
            reason = "late"
        else:
            self.extend(self.permits[who])
        return reason

    def extend(self, permit: Permit) -> None:
        longest = permit.granted + self.settings.longest_seconds * SECOND
        later = min(self.now + self.settings.permit_seconds * SECOND, longest)
        permit.deadline = max(permit.deadline, later)
        self.add("renewed")

    def incr(self) -> bool:
        if self.status == "p" or self.used >= self.cap or self.rate_is_over():
            self.add("refused")
            return False
        return True

    def decr(self) -> bool:
        anonymous = sorted(who for who in self.permits if who.startswith("#"))
        for who in anonymous:
            if self.live(who):
                del self.permits[who]
                self.add("released")
                return True
            self.expire(who)
        return False

    # -- tasks -------------------------------------------------------------------------------

    def batch_status(self, batch: int) -> str:
        its = self.batches[batch]
        return "e" if its.status in "op" and its.ends <= self.due else its.status

    def give_back(self, task: Task) -> None:
        if task.state != "r":
            return
        if task.attempt >= self.settings.attempts or self.batch_status(task.batch) in "ec":
            task.state = "f"
        else:
            task.state, task.attempt = "p", task.attempt + 1

    def result(self, device: str, number: int, token: int, ok: bool) -> str:
        task = self.tasks.get(number)
        if task is None or task.device != device:
            return "unknown task"
        who = "@" + device
        if who in self.permits and not self.live(who):
            self.expire(who)
        if token not in task.tokens:
            return "unknown token"
        current = token == task.tokens[-1]
        if current and task.state == "r":
            self.permits.pop(who, None)
            task.state, task.told = ("d" if ok else "f"), True
            return "accepted"
        if token in task.late or (current and task.told):
            return "repeat"
        task.late.add(token)
        return "late"

    def fetch(self, device: str, renew: int | None) -> tuple[str, int | None]:
        """Return (task | new | wait | none, the task). After new the caller calls issue()."""
        who = "@" + device
        mine = [n for n, task in self.tasks.items() if task.device == device]
        if not any(self.tasks[n].state in "pr" for n in mine):
            return "none", None
        if who in self.permits and not self.live(who):
            self.expire(who)
        if who in self.permits:
            permit = self.permits[who]
            if renew == permit.token:
                self.extend(permit)
            return "task", permit.task
        ready = [
            n
            for n in sorted(mine)
            if self.tasks[n].state == "p" and self.batch_status(self.tasks[n].batch) == "o"
        ]
        if not ready:
            if any(self.tasks[n].state in "pr" for n in mine) or who in self.line:
                self.leave(who)
            return "none", None
        if self.turn(who):
            self.stand(who)
            self.add("refused")
            return "wait", None
        return "new", ready[0]

    def issue(self, number: int, token: int) -> None:
        task = self.tasks[number]
        self.leave("@" + task.device)
        task.state = "r"
        task.tokens.append(token)
        self.give("@" + task.device, token, number)

    # -- time --------------------------------------------------------------------------------

    def advance(self, clock: int) -> None:
        """Set the server's clock.

        For a step back of up to a second the gate's clock stops instead.
        """
        self.now = self.last if 0 < self.last - clock <= SECOND else clock

    def put_back(self) -> None:
        """Let what was written by a clock that was ahead count from now."""
        latest = self.now + self.settings.permit_seconds * SECOND
        for permit in self.permits.values():
            if permit.deadline > latest:
                permit.deadline, permit.granted = latest, min(permit.granted, self.now)
        self.seen = {who: min(at, self.now) for who, at in self.seen.items()}
        self.starts = []

    def sweep(self) -> None:
        if self.behind or self.now < self.last:
            self.put_back()
            self.corrected = True
        for who in [who for who in self.permits if not self.live(who)]:
            self.expire(who)
        if self.settings.fair:
            self.forget_silent()
        for number, batch in self.batches.items():
            if batch.status in "op" and batch.ends <= self.due:
                batch.status = "e"
            if batch.status in "ec" and batch.closed is None:
                self.close(number, batch)

    def close(self, number: int, batch: Batch) -> None:
        mine = [task for task in self.tasks.values() if task.batch == number]
        for task in mine:
            if task.state == "p":
                task.state = "x"
                others = (t for t in self.tasks.values() if t.device == task.device)
                if not any(other.state in "pr" for other in others):
                    self.leave("@" + task.device)
        if not any(task.state == "r" for task in mine):
            batch.closed = self.now
