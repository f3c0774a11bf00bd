--[[ dispatch/clear
Purpose: A front-end has no sessions: it restarted. Its routes are void, the backs are told once, what was held is dropped.
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
ARGV[3] number         of the peer's own sequence, from 1; 1 as the first frame of a
                       connection: both numberings begin anew
Reply: [1 routed, 0 refused, 2 repeat; peer, name, reason, released]; released 1: its held frames may go
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced", "gap", "behind"; reasons of 0: not yours
Complexity: O(frames that it has + backs)
Version: 1
]]
local NEW_NUMBERING = true
--@include open
--@include peers
--@include states
local WHAT = 'clear'
--@include inbound
local reply
if not me.front then
  reply = refuse('not yours', '')
else
  local held = me.held == '1'
  if held then drop_outbox(me) end
  if begins_anew then renumber(me) end
  accept()
  released = '0' -- nothing is left to be read
  local n = void(me, 'restart')
  keep_peer(me)
  log('restarted', me.key, '', '', int(n), 'clear', me.profile)
  reply = routed()
end
--@include close
return reply
