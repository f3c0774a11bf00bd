--[[ dispatch/end
Purpose: One end ends a session. The other end is told at once, or when it is no longer pending.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] session        front-end id / word
ARGV[5] reason         200 characters at most
ARGV[6] body           JSON text
ARGV[7] failed         1 = the instance could not serve it, or 0
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "gap", "behind"; reasons of 0: no such session, not yours, peer full, recovering
Complexity: O(log n)
Full server: runs
Version: 1
]]
local refusal = inbound.open(KEYS[1], 'end', ARGV[1], ARGV[2], ARGV[3])
if refusal then return refusal end
local session, reason, body, failed = ARGV[4] or '', ARGV[5] or '', ARGV[6] or 'null', ARGV[7] or '0'
if not checks.is_session(session) then return checks.refusal('malformed session') end
if not checks.is_reason(reason) then return checks.refusal('malformed reason') end
if not checks.is_body(body) then return checks.refusal('malformed body') end
if not is_flag(failed) then return checks.refusal('malformed failed') end

local reply = sessions.finish(session, reason, body, failed == '1')
group.close()
return reply
