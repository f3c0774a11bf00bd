--[[ line/guest
Purpose: A supervisor enters a room, whispers or leaves. This is written to the history and sent to both sides. Nothing
  else changes.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] what           joined, left, whispered
ARGV[3] by             who, for the history
Reply: [answer, seq, agent]; answer: ok, no_room (the visit is in no room)
Errors: "no such desk", "script outdated …", "gone", "malformed what"
Complexity: O(1)
Full server: runs
Version: 1
]]
local KINDS = { joined = 'guest_joined', left = 'guest_left', whispered = 'guest_whispered' }
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
local kind = KINDS[ARGV[2] or '']
if not kind then return { 'malformed what' } end
if visit.state ~= 'room' then return { 'no_room', int(desk.seq), '-' } end
desk.log(kind, 'v', visit.id, 'a', visit.agent, 'q', visit.queue, 'by', words.one(ARGV[3]))
desk.tell(kind, kind == 'guest_whispered' and '-' or visit.id, visit.agent) -- a whisper is not for the visitor
desk.close()
return { 'ok', int(desk.seq), visit.agent }
