--[[ dispatch/lost
Purpose: A socket closed or sending failed: its peer is pending at once. One that was given its id cannot come back: it is stopped.
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
ARGV[1] peer           whose socket
ARGV[2] link           its token
ARGV[3] reason         200 characters at most
Reply: [1, 1] or [1, 0]: the link was not the peer's
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason"
Complexity: O(log n + backs)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include profiles
local reason = ARGV[3] or ''
if #reason > 200 or find(reason, '%c') then return { '-1', 'malformed reason' } end
local p = peer_of(ARGV[1] or '')
if not p or p.link == '' or p.link ~= ARGV[2] then return { '1', '0' } end
p.link, p.process = '', ''
if p.front and not PROFILES[p.profile].own then
  stop(p, 'lost', reason)
elseif p.state == 'a' then
  pend(p, reason)
else
  keep_peer(p)
end
--@include close
return { '1', '1' }
