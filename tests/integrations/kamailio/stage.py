"""A Kamailio with our configuration on private ports and folders, with a Redis and a pool."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from numbers.pool.switch_user import switch_user
from poolsite.runtime.parent import die_with_parent
from poolsite.runtime.redis_server import RedisServer
from tests.integrations.kamailio.phone import Phone
from tests.numbers.pool_support import SLUG, PoolUnderTest
from tests.support.ports import free_port, is_free
from tests.support.waiting import patient, until

FOLDER = Path(__file__).resolve().parents[3] / "integrations" / "kamailio"
SWITCH, SECRET = "kamailio-01", "secret-of-kamailio-01"
USER = f"{SLUG}.{SWITCH}"  # the name that `manage.py pool acl` gives it


@dataclass
class Stage:
    """A switch and its pool. `settings` overrides those of poolsite-local.cfg.example."""

    folder: Path
    redis: RedisServer
    bench: PoolUnderTest
    settings: dict[str, str] = field(default_factory=dict)
    defines: tuple[str, ...] = ()
    sip_port: int = field(default_factory=free_port)
    callee_port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    def prepare(self) -> "Stage":
        """Do what README.md instructs: state file, scripts, user, settings."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (FOLDER / "state.sql").open() as script:
            subprocess.run(["sqlite3", self.state_file], stdin=script, check=True)
        shutil.copy(FOLDER / "kamailio.cfg", self.folder)
        self.load_scripts()
        if "LANE_HTTP" not in self.defines:
            self.make_user()
        values = {
            "SIP_LISTEN": f"udp:127.0.0.1:{self.sip_port}",
            "SIP_DOMAIN": "127.0.0.1",
            "CALLEE_GATEWAY": f"sip:127.0.0.1:{self.callee_port}",
            "SIP_WORKERS": "4",
            "SWITCH_NAME": SWITCH,
            "POOL_SLUG": SLUG,
            "REDIS_SERVER": f"unix={self.redis.socket}",
            "REDIS_USER": USER,
            "REDIS_SECRET": SECRET,
            "STATE_FILE": str(self.state_file),
            "RUN_FOLDER": str(self.folder),
            "LIST_SECONDS": "2",
            "MIN_EXPIRES": "1",
        } | self.settings
        text = local_settings((FOLDER / "poolsite-local.cfg.example").read_text(), values)
        defines = "".join(f"#!define {name}\n" for name in self.defines)
        (self.folder / "poolsite-local.cfg").write_text(defines + text)
        return self

    @property
    def state_file(self) -> Path:
        return self.folder / "poolsite.sqlite"

    @property
    def log(self) -> Path:
        return self.folder / "kamailio.log"

    def load_scripts(self) -> None:
        """Do what Poolsite's timers do: load scripts and functions into Redis."""
        self.bench.path.load_scripts()

    def make_user(self) -> None:
        """Create the switch's user of `manage.py pool acl`; take the default user's rights."""
        command = self.bench.client.execute_command
        functions = self.bench.path.knows_functions()
        rules = switch_user(SLUG, SWITCH, SECRET, functions=functions).rules
        command("ACL", "SETUSER", USER, *rules)
        command("ACL", "SETUSER", "default", "resetpass", "-@all")

    def start(self) -> "Stage":
        """Start Kamailio and wait until it answers an OPTIONS."""
        places = ("-Y", self.folder, "-w", self.folder, "-P", self.folder / "kamailio.pid")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["kamailio", "-DD", "-E", "-f", self.folder / "kamailio.cfg", "-m", "64", *places],
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        with Phone(self.sip_port) as phone:
            until(lambda: self._ended() or phone.options(), evidence=self.said)
        assert not self._ended(), self.said()
        return self

    def _ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def said(self) -> str:
        return self.log.read_text()[-4000:]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of this Kamailio, which leads its own group."""
        assert self.process is not None
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End all its processes at once, as a crash would."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        """End it as a person would; kill what does not end. Do nothing if it has ended."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=patient(10))
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
        self.wait()

    def wait(self) -> None:
        """Return when none of its processes is left and its port is free again."""
        assert self.process is not None
        self.process.wait()
        self.process = None
        until(lambda: is_free(self.sip_port))

    def waiting_events(self) -> int:
        """Return how many events this Kamailio has not sent yet."""
        words = ["kamcmd", "-s", f"unix:{self.folder}/kamailio_ctl", "mqueue.get_sizes"]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return sum(int(size) for size in re.findall(r"size: (\d+)", said))

    def idle(self, count: int) -> bool:
        """Return whether no call has a number and `count` numbers may be picked."""
        figures = self.bench.figures()
        return (figures.busy_up + figures.busy_down, figures.idle_up) == (0, count)


def make_admin(redis: RedisServer) -> str:
    """Make the test's own user, because the default user loses its rights. Return its URL."""
    with redis.client() as client:
        client.execute_command("ACL", "SETUSER", "admin", "on", ">admin", "~*", "&*", "+@all")
    return redis.url.replace("unix://", "unix://admin:admin@")


def local_settings(example: str, values: dict[str, str]) -> str:
    """Fill in poolsite-local.cfg.example, without WITH_AUTH. It must have every name."""
    lines = []
    for line in example.splitlines():
        if line == "#!define WITH_AUTH":
            continue
        name = line.split("!")[2] if line.startswith("#!substdef") else ""
        lines.append(f'#!substdef "!{name}!{values[name]}!g"' if name in values else line)
    text = "\n".join(lines) + "\n"
    missing = [name for name in values if f"!{name}!" not in text]
    assert not missing, f"settings that poolsite-local.cfg.example does not have: {missing}"
    return text
