"""The profile table and the rules of taking over an ID, row by row, on real sockets."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from integrations.dispatch_client import FrontEnd
from tests.dispatch.handlers import Caller
from tests.dispatch.raw import RawPeer, raw
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support.waiting import eventually, until


@pytest.fixture
async def back(stage: Stage, other_web: WebServer, patient: str) -> AsyncIterator[RawPeer]:
    """An instance that sends heartbeats, in the group `patient`."""
    async with raw(other_web, patient, "back", stage.token()) as peer:
        await peer.register_back()
        beats = asyncio.create_task(_beat(peer))
        yield peer
        beats.cancel()


async def _beat(*peers: RawPeer) -> None:
    while True:
        for peer in peers:
            await peer.tell(op="beat")
        await asyncio.sleep(0.5)  # waits: the pace of the heart


class Fronts:
    """Successive connections of one front-end, with sessions that the first one began."""

    def __init__(self, stage: Stage, web: WebServer, group: str, back: RawPeer) -> None:
        self._stage, self._web, self._group, self._back = stage, web, group, back

    def open(self) -> Any:
        return raw(self._web, self._group, "front", self._stage.token())

    async def begin(self, **registration: Any) -> None:
        """Register, begin the sessions 1 and 2, and lose the link; then end session 1."""
        async with self.open() as front:
            await front.register_front(**registration)
            for n in (1, 2):
                session = f"{registration['peer_id']}/{n}"
                await front.tell(op="start", seq=n, session=session)
                assert (await self._back.hear())["session"] == session
        peer = f"f:{registration['peer_id']}"
        await asyncio.to_thread(self._stage.wait_state, self._group, peer, "pending")
        await self._back.tell(op="end", seq=1, session=f"{registration['peer_id']}/1")


@pytest.fixture
def fronts(stage: Stage, web: WebServer, patient: str, back: RawPeer) -> Fronts:
    return Fronts(stage, web, patient, back)


async def test_sip_reconnect_gets_what_waited_with_its_first_frame(
    fronts: Fronts, back: RawPeer
) -> None:
    await fronts.begin(peer_id="sip-1", profile="SIP")
    async with fronts.open() as front:
        assert (await front.register_front("sip-1", profile="SIP"))["arrival"] == "reconnect"
        with pytest.raises(TimeoutError):
            # Held: it may be about to send `clear`. Only time can show that it stays held.
            await front.hear(seconds=0.5)
        await front.tell(op="beat")
        end = await front.hear()
        assert (end["op"], end["session"]) == ("end", "sip-1/1")
        await front.tell(op="message", seq=3, session="sip-1/2", body="on")
        assert (await back.hear())["body"] == "on"


async def test_sip_clear_is_a_restart(fronts: Fronts, back: RawPeer) -> None:
    await fronts.begin(peer_id="sip-1", profile="SIP")
    async with fronts.open() as front:
        told = await front.register_front("sip-1", profile="SIP", incarnation="f2")
        await front.tell(op="clear", seq=told["received"] + 1)
        lost = await back.hear()
        assert (lost["op"], lost["peer"]) == ("peer-lost", "sip-1")
        assert lost["reason"] == "front-end restarted"
        await front.tell(op="message", seq=told["received"] + 2, session="sip-1/2")
        refused = await front.hear()  # the waiting end is not delivered before it
        assert (refused["op"], refused["reason"]) == ("refused", "no such session")
        await front.tell(op="start", seq=told["received"] + 3, session="sip-1/2")
        assert (await back.hear())["op"] == "start"


async def test_the_library_says_clear_for_a_sip_front_end_that_starts_anew(
    stage: Stage, web: WebServer, patient: str, fronts: Fronts, back: RawPeer
) -> None:
    await fronts.begin(peer_id="sip-1", profile="SIP")
    heard = Caller()
    async with FrontEnd(stage.settings(patient, web), heard, profile="SIP", peer_id="sip-1") as sip:
        assert (await back.hear())["op"] == "peer-lost"
        session = (await sip.begin("again")).session
        assert (await back.hear())["session"] == session
        sip.cut()
        await sip.wait_registered()
        await eventually(lambda: sip.links == 2)
        await sip.send(session, "after a flap")
        assert (await back.hear())["body"] == "after a flap"
        assert heard.all == []  # the end that waited for its previous incarnation was dropped


async def test_bicc_with_another_incarnation_is_a_restart(fronts: Fronts, back: RawPeer) -> None:
    await fronts.begin(peer_id="bicc-1", incarnation="one")
    async with fronts.open() as front:
        told = await front.register_front("bicc-1", incarnation="two")
        assert (told["arrival"], told["received"], told["next"]) == ("restart", 0, 1)
        assert (await back.hear())["op"] == "peer-lost"
        await front.tell(op="message", seq=1, session="bicc-1/2")
        assert (await front.hear())["reason"] == "no such session"


@pytest.mark.parametrize("incarnation", ["", "one"])
async def test_bicc_of_the_same_life_or_without_one_is_a_reconnect(
    fronts: Fronts, back: RawPeer, incarnation: str
) -> None:
    await fronts.begin(peer_id="bicc-1", incarnation=incarnation)
    async with fronts.open() as front:
        told = await front.register_front("bicc-1", incarnation=incarnation)
        assert (told["arrival"], told["received"]) == ("reconnect", 2)
        assert (await front.hear())["session"] == "bicc-1/1"  # its end
        await front.tell(op="message", seq=3, session="bicc-1/2", body="on")
        assert (await back.hear())["body"] == "on"


async def test_smp_is_new_each_time_and_its_routes_run_out_by_their_timers(
    stage: Stage, fronts: Fronts, back: RawPeer, patient: str
) -> None:
    async with fronts.open() as front:
        await front.register_front("smp-1", profile="SMP")
        await front.tell(op="start", seq=1, session="smp-1/1", ttl_seconds=3)
        assert (await back.hear())["op"] == "start"
    async with fronts.open() as front:
        told = await front.register_front("smp-1", profile="SMP")
        assert (told["arrival"], told["received"], told["next"]) == ("new", 0, 1)
        await back.tell(op="message", seq=1, session="smp-1/1", body="answer")
        assert (await front.hear())["body"] == "answer"
        # Both keep sending heartbeats: a silent peer would be pending, its end stored for it.
        beating = asyncio.create_task(_beat(front, back))
        for end in (await front.hear(), await back.hear()):
            assert (end["op"], end["reason"]) == ("end", "expired")
        beating.cancel()
        await asyncio.to_thread(_wait_sessions, stage, patient, 0)
        await back.tell(op="message", seq=2, session="smp-1/1", body="too late")
        assert (await back.hear())["reason"] == "no such session"


def _wait_sessions(stage: Stage, group: str, count: int) -> None:
    until(lambda: stage.figures(group).sessions == count)


async def test_cmpp_is_given_an_id_and_has_no_sessions(fronts: Fronts, back: RawPeer) -> None:
    ids = []
    for _ in range(2):
        async with fronts.open() as front:
            await front.hear()
            await front.tell(op="register", profile="CMPP")
            told = await front.hear()
            assert told["arrival"] == "new"
            ids.append(told["id"])
            await front.tell(op="start", seq=1, session=f"{told['id']}/1")
            refused = await front.hear()
            assert refused["reason"] == "no sessions in this profile"
            await front.tell(op="deliver", seq=2, body={"submit": 1})
            got = await back.hear()
            assert (got["op"], got["from"], got["body"]) == ("deliver", told["id"], {"submit": 1})
            await back.tell(op="deliver", seq=len(ids), to=told["id"], body={"report": 1})
            assert (await front.hear())["body"] == {"report": 1}
    assert ids[0] != ids[1]


async def test_http_is_given_an_id_and_has_a_session_for_each_request(
    fronts: Fronts, back: RawPeer
) -> None:
    async with fronts.open() as front:
        await front.hear()
        await front.tell(op="register", profile="HTTP")
        its_id = (await front.hear())["id"]
        await front.tell(op="start", seq=1, session=f"{its_id}/1", body="GET /")
        assert (await back.hear())["body"] == "GET /"
        await back.tell(op="end", seq=1, session=f"{its_id}/1", body="200")
        answer = await front.hear()
        assert (answer["op"], answer["body"]) == ("end", "200")


async def test_the_same_life_takes_its_id_over_and_the_old_socket_is_replaced(
    fronts: Fronts, back: RawPeer
) -> None:
    async with fronts.open() as old:
        await old.register_front()
        await old.tell(op="start", seq=1, session="bicc-1/1")
        await back.hear()
        async with fronts.open() as new:
            told = await new.register_front()
            assert (told["arrival"], told["received"]) == ("takeover", 1)
            assert await old.closed() == (4410, "replaced")
            await back.tell(op="message", seq=1, session="bicc-1/1", body="where?")
            assert (await new.hear())["body"] == "where?"


async def test_another_life_is_refused_while_the_old_link_beats_and_a_restart_when_it_does_not(
    fronts: Fronts, back: RawPeer, stage: Stage, patient: str
) -> None:
    async with fronts.open() as old:
        await old.register_front(incarnation="one")
        async with fronts.open() as new:
            told = await new.register_front(incarnation="two")
            assert told == {"op": "refused", "reason": "taken"}
            assert await new.closed() == (4411, "taken")
        await old.tell(op="start", seq=1, session="bicc-1/1")
        assert (await back.hear())["op"] == "start"  # the old front-end was not disturbed
    await asyncio.to_thread(stage.wait_state, patient, "f:bicc-1", "pending")
    async with fronts.open() as new:
        assert (await new.register_front(incarnation="two"))["arrival"] == "restart"
        assert (await back.hear())["op"] == "peer-lost"


async def test_an_instance_that_takes_the_offered_id_is_new_and_one_with_its_own_comes_back(
    stage: Stage, web: WebServer, patient: str
) -> None:
    token = stage.token()
    async with raw(web, patient, "back", token) as first:
        told = await first.register_back()
        assert told["arrival"] == "new"
    await asyncio.to_thread(stage.wait_state, patient, f"b:{told['id']}", "pending")
    async with raw(web, patient, "back", token) as second:
        assert (await second.register_back(id=told["id"]))["arrival"] == "reconnect"
    async with raw(web, patient, "back", token) as stranger:
        unknown = await stranger.register_back("as-9", id="never-given")
        assert (unknown["arrival"], unknown["resync"]) == ("reconnect", True)
        assert (await stranger.hear())["op"] == "resync"


async def test_a_name_in_use_is_taken(stage: Stage, web: WebServer, patient: str) -> None:
    async with (
        raw(web, patient, "back", stage.token()) as first,
        raw(web, patient, "back", stage.token()) as second,
    ):
        await first.register_back("as-1")
        assert await second.register_back("as-1") == {"op": "refused", "reason": "taken"}
        assert (await second.closed())[0] == 4411
