--[[ dispatch/message
Purpose: A message of a session goes to its other end, in order.
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
ARGV[4] session        front-end id / word
ARGV[5] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "gap", "behind"; reasons of 0: no such session, not yours,
  session ending, peer pending, peer full, recovering
Complexity: O(1)
Version: 1
]]
local NEW_NUMBERING = false
--@include open
--@include peers
--@include states
--@include routes
local WHAT = 'message'
--@include inbound
local session, body = ARGV[4] or '', ARGV[5] or 'null'
if #session > 80 or not find(session, '^%w[%w._-]*/[^%c%s]+$') then return { '-1', 'malformed session' } end
if #body > 65536 then return { '-1', 'malformed body' } end
--@include other_end
if not reason and is_past(r) then
  if end_route(r, 'expired') then add('expired') end
  reason = 'no such session'
end
if not reason then
  if not deaf then catch_up(other) end
  if other.state ~= 'a' then reason = 'peer pending'
  elseif unacked(other) >= OUT_LIMIT then reason = 'peer full' end
end
local reply
if reason then
  reply = refuse(reason, session)
else
  accept()
  if me.front then r.nf = int(r.nf + 1) else r.nb = int(r.nb + 1) end
  keep_route(r)
  push(other, 'message', session, '', '', body)
  add('messages')
  reply = routed(other)
end
--@include close
return reply
