--[[ dispatch/forget_name
Purpose: Removes a name that no instance is registered under, its manual state and its points on the ring.
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
ARGV[1] name           of the instance
Reply: [1, ""] or [1, "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "in use"
Complexity: O(weight × log n)
Version: 1
]]
--@include open
--@include peers
local n = name_of(ARGV[1] or '')
if not n then return { '1', 'repeat' } end
if n.back ~= '' then return { '-1', 'in use' } end
for i = 1, (tonumber(n.weight) or 0) * 64 do call('ZREM', RING, n.name .. '#' .. i) end
call('HDEL', NAMES, n.name)
log('forgotten', '', n.name)
--@include close
return { '1', '' }
