-- What `parse` finds in an event's words, and what `decide` leaves for the end: fields of the tag's
-- hash (kept_1 …) that are written together with the sequence, in one command. `cause` is the option
-- reason; what a hangup tells of its call (options cause, answered, talk_seconds) is release_cause, answered, talk.
local event, given, words, number, problem, texts
local id, switch, incarnation, agent, callee, area, paid, contact, cause
local direction, force, sticky, expires, order, wait_ms
local release_cause, answered, talk
local id_json, switch_json, incarnation_json, agent_json, callee_json, contact_json
local kept_1, value_1, kept_2, value_2, seq_text
