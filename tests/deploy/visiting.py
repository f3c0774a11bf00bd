"""Clients of the machine's web processes: a probe, and a user in a browser behind nginx."""

import re
from http.cookies import SimpleCookie

import httpx

from tests.deploy.machine import Machine
from tests.support.waiting import patient, until

HOST = "console.example.com"
# As nginx sends them: deploy/nginx/poolsite.conf.
FROM_NGINX = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
SKIPPED = "Late runs skipped"
# Nine processes start at once, each with all of the product, on two cores with other tests.
START_SECONDS = 240.0


def is_ready(machine: Machine, *, every: bool = False) -> bool:
    """Return whether a web process (or `every` one) answers /readyz with 200."""
    answers = [answer_of(port) == 200 for port in machine.ports.values()]
    return all(answers) if every else any(answers)


def wait_until_ready(machine: Machine) -> None:
    """Return when every web process is ready."""
    until(lambda: is_ready(machine, every=True), START_SECONDS, evidence=machine.logs)


def wait_until_well(machine: Machine) -> None:
    """Return when every web process is ready and, after that, no check fails."""
    wait_until_ready(machine)
    until(
        lambda: is_ready(machine, every=True) and not failing(machine),
        START_SECONDS,
        evidence=lambda: evidence_of(machine),
    )


def evidence_of(machine: Machine) -> str:
    """Return the failing checks, and the ends of the logs."""
    return f"{failing(machine)}\n{machine.logs()}"


def answer_of(port: int) -> int | None:
    """Return the status of a web process' /readyz, or None if nothing answers at its port."""
    told = _readyz(port)
    return None if told is None else told.status_code


def _readyz(port: int) -> httpx.Response | None:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=patient(10))
    except httpx.TransportError:
        return None


def failing(machine: Machine) -> dict[str, str]:
    """Return the failing checks, with what the first web process that answers says about them.

    If no process answers, return "web". Runs that were skipped while a worker was away are reported
    for five minutes after it: those don't count.
    """
    for answer in filter(None, map(_readyz, machine.ports.values())):
        told = answer.json()
        if "checks" in told:
            wrong = {name: text for name, text in told["checks"].items() if text != "ok"}
            late = {name: text for name, text in told["warnings"].items() if SKIPPED not in text}
            return wrong | late
    return {"web": "no process answers"}


def log_in(machine: Machine, user: str, password: str) -> dict[str, str]:
    """Return the cookies of a log-in through the form, as a browser behind nginx sends it."""
    with web(machine) as client:
        form = client.get("/login/")
        assert form.status_code == 200
        cookies = cookies_of(form)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)[1]
        fields = {"login": user, "password": password, "csrfmiddlewaretoken": token}
        headers = {"Cookie": header(cookies), "Referer": f"https://{HOST}/login/"}
        answer = client.post("/login/", data=fields, headers=headers)
        assert answer.status_code == 302, answer.text
        return {**cookies, **cookies_of(answer)}


def page(machine: Machine, cookies: dict[str, str]) -> int:
    with web(machine) as client:
        return client.get("/profile/", headers={"Cookie": header(cookies)}).status_code


def web(machine: Machine) -> httpx.Client:
    port = next(iter(machine.ports.values()))
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=FROM_NGINX)


def cookies_of(answer: httpx.Response) -> dict[str, str]:
    """Return the cookies, read by hand: a jar keeps secure cookies from an address without TLS."""
    lines = answer.headers.get_list("set-cookie")
    return {name: one.value for line in lines for name, one in SimpleCookie(line).items()}


def header(cookies: dict[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in cookies.items())
