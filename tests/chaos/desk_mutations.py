"""A desk's safeguards, each with the test that must notice when it is removed."""

from tests.chaos.mutant import Case

LUA = "queueing/line/lua"
MODULES = f"{LUA}/modules"
EVENTS = "tests/line/desk/test_desk_events.py"
SILENCE = "tests/line/desk/test_desk_silence.py"
GRACE = "tests/line/desk/test_desk_grace.py"
DECLINES = "tests/line/desk/test_desk_declines.py"
STEPS = "tests/line/desk/test_desk_steps.py"
LIVES = "tests/line/desk/test_desk_lives.py"
CALLS = "tests/line/desk/test_desk_calls.py"
JOINS = "tests/line/desk/test_desk_joins.py"

_MATCHES = {
    "a desk that recovers gives nobody to an agent": Case(
        f"{MODULES}/matching.lua",
        "  while desk.is_open and agents.place(agent) ~= '' do\n",
        "  while agents.place(agent) ~= '' do\n",
        f"{EVENTS}::test_after_a_loss_places_come_back_by_arrival_and_matching_waits",
    ),
    "an agent with all slots taken gets nobody": Case(
        f"{MODULES}/agents.lua",
        " or agent.used >= agent.capacity\n",
        "\n",
        f"{EVENTS}::test_a_visitor_waits_and_the_next_agent_serves_the_first",
    ),
    "a manual queue is not matched": Case(
        f"{MODULES}/matching.lua",
        "    if conf and conf.mode ~= 'manual' then\n",
        "    if conf then\n",
        f"{EVENTS}::test_in_manual_mode_the_agent_takes_the_next_or_a_chosen_one",
    ),
    "an agent without the skills does not serve": Case(
        f"{MODULES}/skills.lua",
        "      if not own or own + 0 < wanted then return name, own or '0', int(wanted) end\n",
        "",
        f"{EVENTS}::test_skills_are_needed_at_a_level_and_relax_with_waiting",
    ),
    "a room's slot is in wrap-up first": Case(
        f"{MODULES}/rooms.lua",
        "  if with_wrap_up and conf",
        "  if false and conf",
        f"{EVENTS}::test_a_wrap_up_holds_the_slot_and_ends_by_itself_or_by_the_agent",
    ),
    "a pause waits for the last room": Case(
        f"{MODULES}/presence.lua",
        "  if agent.rooms > 0 or agent.pending == 'nothing' then return end\n",
        "  if agent.pending == 'nothing' then return end\n",
        f"{EVENTS}::test_a_pause_in_a_room_takes_effect_when_it_ends",
    ),
}

_OFFERS = {
    "an offer is accepted by its own token": Case(
        f"{LUA}/accept.lua",
        "if visit.state ~= 'offered' or visit.token ~= ARGV[3] then",
        "if visit.state ~= 'offered' then",
        f"{EVENTS}::test_in_offer_mode_a_late_accept_changes_nothing_and_misses_pause_the_agent",
    ),
    "who declines gets whoever is first by then": Case(
        f"{MODULES}/offers.lua",
        "  if waits then agent.pending = 'one step' end\n",
        "",
        f"{DECLINES}::test_who_is_alone_gets_whoever_is_first_by_then",
    ),
    "who declines gets another visitor": Case(
        f"{MODULES}/matching.lua",
        "declines.passed_over(conf, 'agent', agent.id, 'visit')\n",
        "nil\n",
        f"{DECLINES}::test_a_declined_visitor_waits_for_the_others_and_the_agent_gets_the_next",
    ),
    "a declined visitor gets another agent": Case(
        f"{MODULES}/matching.lua",
        "declines.passed_over(conf, 'visit', visit.id, 'agent')\n",
        "nil\n",
        f"{DECLINES}::test_after_its_seconds_the_visitor_is_offered_to_the_same_agent_again",
    ),
    "a declined visitor waits only for who may serve": Case(
        f"{MODULES}/declines.lua",
        "    local serves = not ids[agent.id] and",
        "    local serves = not ids[agent.id] or",
        f"{DECLINES}::test_who_cannot_serve_is_nobody_to_wait_for",
    ),
    "a declined visitor does not wait for who has left": Case(
        f"{MODULES}/declines.lua",
        "return left_ms and declines.has_another(visit, conf, there, are_all) and left_ms or nil\n",
        "return left_ms\n",
        f"{DECLINES}::test_when_the_last_other_leaves_nobody_waits_for_it",
    ),
    "a desk remembers so many declined offers": Case(
        f"{MODULES}/declines.lua",
        "  while #kept > declines.MOST do table.remove(kept, 1) end\n",
        "",
        f"{DECLINES}::test_what_a_desk_remembers_ends_with_the_visit_and_is_bounded",
    ),
    "a declined offer is a miss": Case(
        f"{MODULES}/offers.lua",
        "  agent.misses, agent.since = agent.misses + 1, desk.at_ms\n",
        "  agent.since = desk.at_ms\n",
        f"{DECLINES}::test_who_is_alone_is_offered_the_same_visitor_again_until_it_is_away",
    ),
    "an offer past its time is refused before a sweep": Case(
        f"{LUA}/accept.lua",
        "if silence.is_over(timers.OFFER .. agent.id, conf and conf.offer_ms or 0) then\n",
        "if false then\n",
        f"{SILENCE}::test_an_offer_past_its_time_is_refused_and_counted_by_the_next_sweep",
    ),
}

_SILENCE = {
    "a silent agent is passed over": Case(
        f"{MODULES}/matching.lua",
        "    if not silence.of_agent(agent) then return agent end\n",
        "    if agent then return agent end\n",
        f"{SILENCE}::test_a_join_passes_over_a_silent_agent_who_is_away_from_then_on",
    ),
    "a call passes over so many alone": Case(
        f"{MODULES}/silence.lua",
        "  return desk.passed_over <= silence.PASSED_OVER_AT_ONCE\n",
        "  return true\n",
        f"{SILENCE}::test_a_call_passes_over_twenty_and_the_next_one_goes_on",
    ),
    "an outage of the service is nobody's silence": Case(
        f"{MODULES}/due.lua",
        "  if silence.heard_for(ms) then return false end\n",
        "  if true then return false end\n",
        f"{SILENCE}::test_after_an_outage_nobody_loses_a_turn",
    ),
    "who is away in a room keeps it for a while": Case(
        f"{MODULES}/due.lua",
        "  if visit.token == '-' and left_ms > 0 then\n",
        "  if false then\n",
        f"{GRACE}::test_a_silent_visitor_is_away_in_the_room_and_comes_back_to_it",
    ),
    "who is away in a room is away in the line": Case(
        f"{MODULES}/rooms.lua",
        "is_away and 'away' or 'waiting', '-', desk.at_ms",
        "'waiting', '-', desk.at_ms",
        f"{GRACE}::test_who_is_away_when_the_agent_is_lost_is_away_in_the_line",
    ),
}

_TIME = {
    "nobody arrives later than now": Case(
        f"{MODULES}/joining.lua",
        "math.min(arrived + 0, desk.now)",
        "(arrived + 0)",
        f"{EVENTS}::test_nobody_arrives_later_than_now",
    ),
    "a timer of a clock that was ahead is put back": Case(
        f"{MODULES}/repair.lua",
        "    if most and at_ms - desk.now_ms > most then timers.start(name, most) end\n",
        "",
        f"{STEPS}::test_offers_and_wrap_ups_of_a_clock_that_was_ahead_end_in_their_time",
    ),
    "what is due waits after a step of the clock": Case(
        f"{LUA}/sweep.lua",
        "local holds = steady + STEADY_MS > desk.now_ms\n",
        "local holds = false\n",
        f"{STEPS}::test_a_step_loses_nobody_though_it_is_swept_at_once",
    ),
    "sweeps that are always late get something done": Case(
        f"{LUA}/sweep.lua",
        "desk.now_ms - since > STEADY_AGAIN_MS",
        "true",
        f"{STEPS}::test_sweeps_that_are_always_late_end_what_is_due",
    ),
}

_LIVES = {
    "an older life of a desk is refused": Case(
        f"{LUA}/create.lua",
        "if there and there + 0 > generation + 0 then return { 'other generation' } end\n",
        "",
        f"{LIVES}::test_an_older_life_is_refused_and_the_same_one_changes_nothing",
    ),
    "a call back that ends is not begun again": Case(
        f"{LUA}/call_ask.lua",
        "  if known.state == 'ending' then return desk.answer('busy') end\n",
        "",
        f"{CALLS}::test_a_call_back_has_one_intent_until_it_is_forgotten",
    ),
}

_LISTS = {
    "each visitor of a list passes over as many as one alone": Case(
        f"{MODULES}/joining.lua",
        "  desk.passed_over = 0",
        "  -- desk.passed_over = 0",
        f"{JOINS}::test_each_visitor_has_all_the_silent_agents_whom_one_call_may_pass_over",
    ),
    "a list has 32 visitors at most": Case(
        f"{LUA}/joins.lua",
        "if #ARGV == 0 or #ARGV > MOST then",
        "if #ARGV == 0 then",
        f"{JOINS}::test_no_visitor_and_more_than_32_are_refused_whole",
    ),
    "who came earlier in a list is known": Case(
        f"{MODULES}/joining.lua",
        "  local known = visits.read(id)\n",
        "  local known = nil\n",
        f"{JOINS}::test_the_same_visitor_twice_in_a_list_has_one_place",
    ),
}

DESK_CASES = {**_MATCHES, **_OFFERS, **_SILENCE, **_TIME, **_LIVES, **_LISTS}
