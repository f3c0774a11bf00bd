"""The dispatcher's safeguards, each with the test that must notice when it is removed."""

from tests.chaos.mutant import Case

LUA = "queueing/dispatch/lua"
MODULES = f"{LUA}/modules"
_TESTS = "tests/dispatch/dispatcher"
ROUTER = f"{_TESTS}/test_router.py"
LISTENER = f"{_TESTS}/test_listener.py"
REGISTER = f"{_TESTS}/test_register.py"
SHARING = f"{_TESTS}/test_load_sharing.py"
MANUAL = f"{_TESTS}/test_manual_states.py"
RESYNC = f"{_TESTS}/test_resync.py"
TIME = f"{_TESTS}/test_time.py"

RETRIES = f"{_TESTS}/test_retries.py"
EJECTION = f"{_TESTS}/test_ejection.py"

_NUMBERS = {
    "a frame is done once": Case(
        f"{MODULES}/inbound.lua",
        "    if number + 0 <= last then",
        "    if false then",
        f"{ROUTER}::test_a_repeated_frame_does_nothing_and_a_missing_one_closes",
    ),
    "a missing frame closes the link": Case(
        f"{MODULES}/inbound.lua",
        "    if number + 0 > last + 1 then return checks.refusal('gap') end\n",
        "",
        f"{ROUTER}::test_a_repeated_frame_does_nothing_and_a_missing_one_closes",
    ),
    "a sender that takes no refusals is closed": Case(
        f"{MODULES}/inbound.lua",
        "  if (sent or 0) - (acked or 0) >= group.conf.most_frames then",
        "  if false then",
        f"{ROUTER}::test_a_sender_that_takes_no_refusals_is_closed",
    ),
    "only what was sent is acknowledged": Case(
        f"{LUA}/ack.lua",
        "if number + 0 > sent + 0 then return checks.refusal('gap') end\n",
        "",
        f"{LISTENER}::test_acknowledging_what_was_never_sent_closes_the_link",
    ),
    "an outbox is bounded for those who send": Case(
        f"{MODULES}/frames.lua",
        "  return frames.unacked(peer) >= group.conf.out_limit\n",
        "  return false\n",
        f"{ROUTER}::test_a_receiver_that_acknowledges_nothing_is_full_for_its_senders",
    ),
    "buffered ends are bounded": Case(
        f"{MODULES}/frames.lua",
        "  return (redis.call('HGET', group.tag .. ':seqs', 'e' .. peer.key) or 0) + 0 >=",
        "  return (redis.call('HGET', group.tag .. ':seqs', 'e' .. peer.key) or 0) + 0 > 9 *",
        f"{LISTENER}::test_3_3_1_buffered_ends_are_bounded",
    ),
    "a body cannot tear a reply": Case(
        f"{MODULES}/checks.lua",
        " and not string.find(text, checks.FIELD_END, 1, true)\n",
        "\n",
        f"{ROUTER}::test_a_body_that_is_no_json_and_would_tear_a_reply_is_refused",
    ),
}

_PEERS = {
    "who beats keeps its id": Case(
        f"{LUA}/register_back.lua",
        "  if known and known.state == 'active' and known.incarnation ~= claim.incarnation then",
        "  if false then",
        f"{REGISTER}::test_same_id_other_incarnation_while_the_old_link_beats_is_refused",
    ),
    "a socket that was replaced says nothing more": Case(
        f"{MODULES}/peers.lua",
        "  if peer.link ~= link then return nil, checks.refusal('replaced') end\n",
        "",
        f"{REGISTER}::test_same_id_same_incarnation_the_new_socket_takes_over",
    ),
    "its heartbeats do not count either": Case(
        f"{LUA}/heard.lua",
        "  local is_its_link = peer and peer.link == link\n",
        "  local is_its_link = peer ~= nil\n",
        f"{LISTENER}::test_a_heartbeat_of_a_link_that_was_replaced_is_not_ok",
    ),
    "another boot id of a pending peer is a restart": Case(
        f"{LUA}/register_front.lua",
        " or arriving.is_other_life(known, claim) then",
        " then",
        f"{REGISTER}::test_same_id_other_incarnation_of_a_pending_peer_is_a_restart",
    ),
    "held frames wait for the first frame": Case(
        f"{LUA}/outbox.lua",
        "if peer.is_held then return reply end\n",
        "",
        f"{REGISTER}::test_profile_row_sip_clear_drops_held_ends_and_is_a_restart",
    ),
    "a clear drops what was held": Case(
        f"{LUA}/clear.lua",
        "  if front.is_held then frames.drop(front) end\n",
        "",
        f"{REGISTER}::test_profile_row_sip_a_clear_whose_number_goes_on_drops_held_ends",
    ),
    "a clear with number 1 begins both numberings anew": Case(
        f"{LUA}/clear.lua",
        "  if inbound.is_anew then frames.renumber(front) end\n",
        "",
        f"{REGISTER}::test_profile_row_sip_clear_with_number_1_begins_both_numberings_anew",
    ),
    "nobody is silent while nobody could be heard": Case(
        f"{MODULES}/group.lua",
        "  if group.was_away then group.listens_at = group.now + silence end\n",
        "",
        f"{LISTENER}::test_nobody_is_silent_while_nobody_could_be_heard",
    ),
}

_SESSIONS = {
    "a session is its front-end's": Case(
        f"{MODULES}/sessions.lua",
        "  if sender.is_front and routes.front_of(session) ~= sender.id then"
        " return nil, nil, 'not yours' end\n",
        "",
        f"{ROUTER}::test_a_session_of_another_peer_is_not_yours",
    ),
    "a session is its instance's": Case(
        f"{MODULES}/sessions.lua",
        "  if not sender.is_front and route.back ~= sender.id then",
        "  if false then",
        f"{ROUTER}::test_a_session_of_another_peer_is_not_yours",
    ),
    "a session that exists is not begun again": Case(
        f"{MODULES}/starting.lua",
        "    if its_front or old.state == 'provisional' then\n",
        "    if false then\n",
        f"{ROUTER}::test_a_session_that_exists_is_not_begun_again",
    ),
    "a route past its time is not used": Case(
        f"{MODULES}/sessions.lua",
        "  if not reason and routes.is_past(route) then\n",
        "  if false then\n",
        f"{TIME}::test_a_route_past_its_time_is_not_used",
    ),
    "a silent instance gets no session": Case(
        f"{MODULES}/choosing.lua",
        "      if not except[id] and choosing.is_heard(id) then\n",
        "      if not except[id] then\n",
        f"{TIME}::test_a_silent_instance_gets_no_session_from_its_limit_on",
    ),
    "a full instance gets no session": Case(
        f"{MODULES}/choosing.lua",
        "        if some[place + 1] + 0 >= ready.FULL then return nil, 'all full' end\n",
        "",
        f"{SHARING}::test_overload_all_full_is_a_clear_reject_at_once",
    ),
    "a drained name gets no session": Case(
        f"{MODULES}/ready.lua",
        " or name.manual ~= 'open' or",
        " or",
        f"{MANUAL}::test_3_1_3_drain_old_sessions_go_on_and_no_new_ones_come",
    ),
}

_LIVES = {
    "sessions of a life that is over are void": Case(
        f"{MODULES}/lives.lua",
        "  peer.epoch = string.format('%d', peer.epoch + 1)\n",
        "",
        f"{MANUAL}::test_3_1_3_blocked_old_ones_are_ended_and_both_ends_told",
    ),
    "a lost front-end is told to its instances": Case(
        f"{MODULES}/lives.lua",
        "        frames.push(back, 'peer-lost', '', front.id, reason, 'null')\n",
        "",
        f"{LISTENER}::test_3_2_3_backs_get_one_peer_lost_for_a_lost_front_end",
    ),
    "a route whose end has no room stays": Case(
        f"{MODULES}/routes.lua",
        "  if (front and not frames.has_room(front)) or (back and not frames.has_room(back)) then",
        "  if false then",
        f"{ROUTER}::test_clearing_waits_for_an_end_that_has_no_room_and_goes_on",
    ),
    "a walk that left a route begins once more": Case(
        f"{MODULES}/clearing.lua",
        "    if is_removed == false then left = '1' end\n",
        "",
        f"{ROUTER}::test_clearing_waits_for_an_end_that_has_no_room_and_goes_on",
    ),
    "two instances cannot have one session": Case(
        f"{LUA}/resync.lua",
        "  if own_end and route.state == 'live' then return 'restored' end\n",
        "  if route.state == 'live' then return 'restored' end\n",
        f"{RESYNC}::test_two_instances_cannot_have_one_session",
    ),
    "an instance that has not told all gets no session": Case(
        f"{MODULES}/ready.lua",
        " or back.is_telling or",
        " or",
        f"{RESYNC}::test_an_instance_gets_new_sessions_when_it_has_told_all_that_it_has",
    ),
    "a promoted server begins no session": Case(
        f"{MODULES}/choosing.lua",
        "  if conf.status == 'recovering' and not group.opens_at then\n",
        "  if false then\n",
        f"{RESYNC}::test_a_promoted_server_stays_closed_until_it_is_healed",
    ),
}

_SERVING = {
    "an instance that lost a session is told to free it": Case(
        f"{MODULES}/retrying.lua",
        "  if not is_over then frames.append(back, retrying.withdrawn(session)) end\n",
        "",
        f"{RETRIES}::test_the_first_instance_frees_it_when_it_is_back",
    ),
    "retries are bounded": Case(
        f"{MODULES}/retrying.lua",
        " or many >= group.conf.retries then return false end\n",
        " then return false end\n",
        f"{RETRIES}::test_retries_are_bounded_and_never_go_back",
    ),
    "an accepted session is not moved": Case(
        f"{MODULES}/retrying.lua",
        " and route.from_back == '0'\n",
        "\n",
        f"{RETRIES}::test_an_accepted_session_stays",
    ),
    "the last instance is not ejected": Case(
        f"{MODULES}/health.lua",
        "  return id ~= nil or reason == 'all full'\n",
        "  return true\n",
        f"{EJECTION}::test_never_more_than_the_share_and_never_the_last_one",
    ),
    "an ejected instance gets no session": Case(
        f"{MODULES}/ready.lua",
        "  if is_out or health.is_ejected(name.name) then\n",
        "  if is_out then\n",
        f"{EJECTION}::test_an_instance_that_fails_its_sessions_is_ejected",
    ),
}

GROUP_CASES: dict[str, Case] = {**_NUMBERS, **_PEERS, **_SESSIONS, **_LIVES, **_SERVING}
