"""The load of the stack: switches, devices, people, peers, chatbots and their gateway."""

import json
from pathlib import Path

from tests.chaos import acknowledged, dispatch, gates, line
from tests.chaos.processes import StackProcess
from tests.chaos.stack_view import StackView

SIMULATOR = "integrations.simulator"
HOLDERS = gates.HOLDERS_GATE


class StackLoad(StackView):
    """Defines the processes of the load. Each logs what it was told, in `folder`."""

    seed: int
    gateway_port: int
    external_port: int
    processes: dict[str, StackProcess]

    def _define(self, name: str, arguments: list[str]) -> None:
        self.processes[name] = StackProcess(name, arguments, self.environment, self.folder)

    def _define_dispatch(self, python: list[str], one: str, two: str) -> None:
        """Start each process of peers at another web process; it can move to the other one."""
        if dispatch.group_of(self) is None:
            return
        for part, ports in zip(dispatch.PARTS, ((one, two), (two, one)), strict=True):
            for side in ("instances", "fronts"):
                log = str(self.folder / dispatch.log_name(side, part))
                words = [side, dispatch.options(self, ports), log, str(part)]
                self._define(f"{side}-{part}", [*python, "tests.chaos.dispatch_load", *words])

    def _define_line(self, python: list[str], one: str, two: str) -> None:
        """Put half of a desk's visitors and agents at each web process."""
        config = ["--config", str(line.config(self)), "--rest-on-stop"]
        for part, port in enumerate((one, two), start=1):
            log = ["--log", str(line.log_path(self, part)), "--part", f"{part}/2"]
            pace = ["--beat-seconds", str(line.BEAT_SECONDS), "--seed", str(self.seed + part)]
            address = ["--url", f"http://127.0.0.1:{port}"]
            self._define(
                f"people-{part}", [*python, f"{SIMULATOR}.desk", *config, *address, *log, *pace]
            )

    def _define_gates(self, python: list[str], one: str, two: str) -> None:
        """Let devices report to both web processes, and the external system to one."""
        config = ["--config", str(self.folder / "demo" / "simulation.json"), "--gate", gates.GATE]
        external, port = f"{SIMULATOR}.external", str(self.external_port)
        log = ["--log", str(gates.external_log(self)), "--strong", "100"]
        self._define(
            "external",
            [*python, external, *config, "--port", port, *log, "--url", f"http://127.0.0.1:{one}"],
        )
        work = ["--work-seconds", str(gates.WORK_SECONDS), "--seed", str(self.seed)]
        for number, web in enumerate((one, two), start=1):
            parts = ["--part", f"{number}/2", "--external", f"http://127.0.0.1:{port}"]
            told = ["--log", str(self.folder / acknowledged.devices_log(number))]
            address = ["--url", f"http://127.0.0.1:{web}"]
            self._define(
                f"devices-{number}",
                [*python, f"{SIMULATOR}.devices", *config, *parts, *address, *work, *told],
            )
        self._define_holders(python, one, two)

    def _define_holders(self, python: list[str], one: str, two: str) -> None:
        """Define programs that take permits on their own, at a separate gate."""
        gate = next((each for each in self.simulation["gates"] if each["slug"] == HOLDERS), None)
        if gate is None:
            return
        for part, web in enumerate((one, two), start=1):
            log = str(self.folder / acknowledged.holders_log(part))
            words = [f"http://127.0.0.1:{web}", HOLDERS, gate["token"], log, str(part)]
            self._define(f"holders-{part}", [*python, "tests.chaos.permit_load", *words])

    def _define_money(self, python: list[str], one: str, two: str) -> None:
        """Let the gateway report to one web process, and the chatbots send to the other."""
        config = ["--config", str(self._money_config())]
        gateway, port = f"{SIMULATOR}.gateway", str(self.gateway_port)
        reports = ["--port", port, "--url", f"http://127.0.0.1:{one}"]
        ledger = ["--ledger", str(self.folder / "gateway.jsonl"), "--seed", str(self.seed)]
        self._define("gateway", [*python, gateway, *config, *reports, *ledger])
        address = ["--url", f"http://127.0.0.1:{two}", "--gateway", f"http://127.0.0.1:{port}"]
        seed = ["--seed", str(self.seed)]
        self._define("senders", [*python, f"{SIMULATOR}.senders", *config, *address, *seed])

    def _money_config(self) -> Path:
        """Return a configuration with more messages a minute than the demo's.

        A fault of a second must meet some.
        """
        config = json.loads(json.dumps(self.simulation))
        for chatbot in config.get("chatbots", []):
            chatbot["messages_per_minute"], chatbot["sessions_per_minute"] = 120.0, 30.0
        path = self.folder / "money.json"
        path.write_text(json.dumps(config))
        path.chmod(0o600)
        return path
