--[[ dispatch/deliver
Purpose: A message without a session: from a front-end to an instance in turn, from an instance to one front-end.
KEYS[1] {disp}          HASH    conf, generation, seq, counters
KEYS[2] {disp}:peers    HASH    peer → its record
KEYS[3] {disp}:beats    ZSET    active peer by the µs at which it becomes pending
KEYS[4] {disp}:gone     ZSET    pending peer by the µs at which it is stopped
KEYS[5] {disp}:seqs     HASH    numbers and counts of peers
KEYS[6] {disp}:out      HASH    peer, number → frame that the peer has not acknowledged
KEYS[7] {disp}:routes   HASH    session → its route
KEYS[8] {disp}:timers   ZSET    timed and provisional sessions by the µs at which they go
KEYS[9] {disp}:index    ZSET    sessions in lexical order, of fronts and of backs
KEYS[10] {disp}:ready   ZSET    back that takes sessions, by load
KEYS[11] {disp}:ring    ZSET    points of names for sharing by key
KEYS[12] {disp}:names   HASH    name → manual state, upgrade flag, back
KEYS[13] {disp}:clear   ZSET    lives of peers whose routes are void, by µs
KEYS[14] {disp}:log     STREAM  history
ARGV[1] peer           who sends
ARGV[2] link           the token of its socket
ARGV[3] number         of the peer's own sequence, from 1
ARGV[4] to             id of the front-end, or "" from a front-end
ARGV[5] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "gap", "behind"; reasons of 0: all full, none open, recovering,
  no such peer, peer pending, peer full
Complexity: O(log n)
Version: 1
]]
local NEW_NUMBERING = false
--@include open
--@include peers
--@include states
--@include untils
--@include choosing
local WHAT = 'deliver'
--@include inbound
end_untils()
local to, body = ARGV[4] or '', ARGV[5] or 'null'
if #to > 40 or (to ~= '' and not find(to, '^%w[%w._-]*$')) then return { '-1', 'malformed to' } end
if #body > 65536 then return { '-1', 'malformed body' } end
local reason, other
if me.front then
  local id
  id, reason = in_turn()
  other = id and peer_of('b:' .. id)
else
  other = peer_of('f:' .. to)
  if not other or other.state == 's' then reason = 'no such peer'
  else
    if not deaf then catch_up(other) end
    if other.state ~= 'a' then reason = 'peer pending' end
  end
end
if not reason and unacked(other) >= OUT_LIMIT then reason = 'peer full' end
local reply
if reason then
  reply = refuse(reason, '')
else
  accept()
  add('delivered')
  push(other, 'deliver', '', me.id, '', body)
  reply = routed(other)
end
--@include close
return reply
