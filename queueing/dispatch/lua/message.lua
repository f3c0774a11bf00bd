--[[ dispatch/message
Purpose: Sends a session's message to the other end, in order.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] session        front-end id / word
ARGV[5] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "gap", "behind"; reasons of 0: no such session, not yours, session ending, peer pending, peer full,
  recovering
Complexity: O(1)
Version: 1
]]
local refusal = inbound.open(KEYS[1], 'message', ARGV[1], ARGV[2], ARGV[3])
if refusal then return refusal end
local session, body = ARGV[4] or '', ARGV[5] or 'null'
if not checks.is_session(session) then return checks.refusal('malformed session') end
if not checks.is_body(body) then return checks.refusal('malformed body') end

local reply = sessions.message(session, body)
group.close()
return reply
