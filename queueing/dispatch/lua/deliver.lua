--[[ dispatch/deliver
Purpose: Delivers a message without a session: from a front-end to an instance in turn, or from an instance to one
  front-end.
KEYS as dispatch/start
ARGV[1] peer           the sender
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] to             id of the front-end, or "" from a front-end
ARGV[5] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced",
  "gap", "behind"; reasons of 0: all full, none open, recovering, no such peer, peer pending, peer full
Complexity: O(log n)
Version: 1
]]
local refusal = inbound.open(KEYS[1], 'deliver', ARGV[1], ARGV[2], ARGV[3])
if refusal then return refusal end
local to, body = ARGV[4] or '', ARGV[5] or 'null'
if to ~= '' and not checks.is_id(to) then return checks.refusal('malformed to') end
if not checks.is_body(body) then return checks.refusal('malformed body') end

names.open_due()
local sender = inbound.sender
local other, reason
if sender.is_front then
  local id
  id, reason = choosing.in_turn()
  other = id and peers.back(id)
  if other and frames.is_full(other) then reason = 'peer full' end
else
  other = peers.registered('f:' .. to)
  if other then reason = sessions.not_now(other) else reason = 'no such peer' end
end
local reply
if reason then
  reply = inbound.refuse(reason, '')
else
  inbound.accept()
  frames.push(other, 'deliver', '', sender.id, '', body)
  group.count('delivered')
  reply = inbound.routed(other)
end
group.close()
return reply
