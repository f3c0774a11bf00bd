--[[ dispatch/end
Purpose: Either end ends a session: the other is told, a pending one when it is back.
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
ARGV[5] reason         200 characters at most
ARGV[6] body           JSON text
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "gap", "behind"; reasons of 0: no such session, not yours,
  peer full, recovering
Complexity: O(log n)
Version: 1
]]
local NEW_NUMBERING = false
--@include open
--@include peers
--@include states
--@include routes
local WHAT = 'end'
--@include inbound
local session, why, body = ARGV[4] or '', ARGV[5] or '', ARGV[6] or 'null'
if #session > 80 or not find(session, '^%w[%w._-]*/[^%c%s]+$') then return { '-1', 'malformed session' } end
if #why > 200 or find(why, '%c') then return { '-1', 'malformed reason' } end
if #body > 65536 then return { '-1', 'malformed body' } end
--@include other_end
local flags = r and sub(r.flags, 1, 1) or ''
-- Ended by both ends at once, or by the only one that has it, or the other is gone: nobody to tell.
local its_epoch = r and (me.front and r.fe or r.back == me.id and r.be)
if reason and reason ~= 'not yours' and its_epoch == me.epoch then
  reason = nil
  -- A back that was blocked since has the session until it hears.
  if me.front and flags == '' then other = holder(r) end
end
if other then
  local buffered = other.state == 'p' and (call('HGET', SEQS, 'e' .. other.key) or 0) + 0 >= ENDS_LIMIT
  if buffered or not has_room(other) then reason = 'peer full' end
end
local reply
if reason then
  reply = refuse(reason, session)
else
  accept()
  add('ended')
  if flags ~= 'e' then
    if other and other.state == 'p' then
      -- Its route stays, for the other end alone, until that has heard: it takes no more messages.
      unload(r)
      call('ZREM', INDEX, me.front and session or '=' .. r.back .. '\t' .. session)
      r.flags = me.front and 'eb' or 'ef'
      keep_route(r)
    else
      remove_route(r)
    end
    if other then push_end(other, session, why, body) end
  end
  reply = routed(other)
end
--@include close
return reply
