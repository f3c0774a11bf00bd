"""A dialplan file, executed as mod_dialplan_xml and mod_curl do it.

Conditions in order, captures, `inline` actions at once, and the curl line split at spaces outside
single quotes.
"""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

CONF = Path(__file__).resolve().parents[2] / "integrations" / "freeswitch" / "conf"
OUTBOUND = "dialplan/default/00_poolsite.xml"
INBOUND = "dialplan/public/00_poolsite.xml"
UUID = "8b5f4d2e-6a1c-4f0e-9d3b-0c7a51e2f901"
Answer = tuple[int, str]


def globals_of() -> dict[str, str]:
    """Return what vars_poolsite.xml sets, and what FreeSWITCH sets itself."""
    root = ElementTree.parse(CONF / "vars_poolsite.xml").getroot()
    pairs = [element.attrib["data"].partition("=") for element in root.iter("X-PRE-PROCESS")]
    return {"core_uuid": "a-core"} | {name: value for name, _, value in pairs}


class Channel:
    """A call that goes through a dialplan file. `ask` returns mod_curl's status and body."""

    def __init__(self, path: str, ask: Callable[[list[str]], Answer], **variables: str) -> None:
        self.variables = globals_of() | {"uuid": UUID} | variables
        self.ask = ask
        self.curls: list[list[str]] = []
        self.done: list[tuple[str, str]] = []
        self.exported: set[str] = set()
        for extension in ElementTree.parse(CONF / path).getroot().iter("extension"):
            if self._enter(extension) and extension.get("continue") != "true":
                break

    def _enter(self, extension: ElementTree.Element) -> bool:
        passed, later = False, []
        for condition in extension.findall("condition"):
            field = condition.attrib["field"]
            value = self._expand(field) if "$" in field else self.variables.get(field, "")
            found = re.search(condition.attrib["expression"], value)
            for action in condition.findall("action" if found else "anti-action"):
                data = action.attrib.get("data", "")
                for index, group in enumerate(found.groups() if found else (), start=1):
                    data = data.replace(f"${index}", group)
                if action.get("inline") == "true":
                    self._execute(action.attrib["application"], data)
                else:
                    later.append((action.attrib["application"], data))
            passed = passed or found is not None
            if found is None and condition.get("break") != "never":
                passed = False
                break
        for application, data in later:
            self._execute(application, data)
        return passed

    def _expand(self, text: str) -> str:
        return re.sub(r"\$?\$\{(\w+)\}", lambda found: self.variables.get(found[1], ""), text)

    def _execute(self, application: str, data: str) -> None:
        data = self._expand(data)
        if application in ("set", "export"):
            name, _, value = data.partition("=")
            self.variables[name] = value
            if application == "export":
                self.exported.add(name)
        elif application == "unset":
            self.variables.pop(data, None)
        elif application == "curl":
            words = [word.replace("'", "") for word in re.findall(r"(?:'[^']*'|[^ '])+", data)]
            self.curls.append(words)
            status, body = self.ask(words)
            self.variables["curl_response_code"] = str(status)
            self.variables["curl_response_data"] = body
        else:
            self.done.append((application, data))
