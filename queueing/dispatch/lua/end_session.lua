--[[ dispatch/end_session
Purpose: An operator ends a session: both ends are told.
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
ARGV[1] session        front-end id / word
ARGV[2] reason         200 characters at most
Reply: [1, 1] or [1, 0]: there is no such session
Errors: [-1, reason]: "no such group", "script outdated …", "malformed reason", "peer full"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include routes
local reason = ARGV[2] or ''
if #reason > 200 or find(reason, '%c') then return { '-1', 'malformed reason' } end
local r = route_of(ARGV[1] or '')
if not r then return { '1', '0' } end
if not end_route(r, reason) then return { '-1', 'peer full' } end
log('ended', 'f:' .. r.front, '', 'b:' .. r.back, '', reason, r.session)
add('ended')
--@include close
return { '1', '1' }
