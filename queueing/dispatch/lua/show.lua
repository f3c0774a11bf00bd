--[[ dispatch/show
Purpose: Reads a group's figures.
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
Reply: [1, then pairs: name, value]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(1)
Version: 1
]]
--@include open
local fields = { 'drained', 'dropped', 'started', 'ended', 'refused', 'messages', 'delivered', 'cleared', 'expired',
  'restored', 'freed' }
local values = call('HMGET', GROUP, unpack(fields))
local reply = { '1', 'as_of', at, 'conf', conf, 'generation', head[4], 'seq', head[2], 'opens_at', head[9] or '',
  'active', int(call('ZCARD', BEATS)), 'pending', int(call('ZCARD', GONE)), 'names', int(call('HLEN', NAMES)),
  'sessions', int(call('HLEN', ROUTES)), 'clearing', int(call('ZCARD', CLEAR)) }
for i = 1, #fields do
  reply[#reply + 1] = fields[i]
  reply[#reply + 1] = values[i] or '0'
end
return reply
