--[[ dispatch/ack
Purpose: A peer has every frame up to a number: they leave its outbox.
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
ARGV[1] peer           who acknowledges
ARGV[2] link           the token of its socket
ARGV[3] number         the last that it has
Reply: [1, how many left]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed number", "no such peer", "replaced", "gap" (it was never sent)
Complexity: O(frames that leave)
Version: 1
]]
--@include open
--@include peers
--@include states
local number = ARGV[3] or ''
if not find(number, '^%d+$') or #number > 15 then return { '-1', 'malformed number' } end
local p = peer_of(ARGV[1] or '')
if not p or p.state == 's' then return { '-1', 'no such peer' } end
if p.link ~= ARGV[2] then return { '-1', 'replaced' } end
if number + 0 > (call('HGET', SEQS, 'o' .. p.key) or 0) + 0 then return { '-1', 'gap' } end
local left = acknowledge(p, number + 0)
return { '1', int(left) }
