--[[ dispatch/explain
Purpose: Why a session is where it is, what its ends are doing, and what blocking its instance now would do.
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
Reply: [1, now, then, if there is such a session: eleven words as dispatch/route has them, states of front and back,
  manual state, upgrade flag, sessions that would end, the back and its name that new ones would get, or the reason]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include peers
--@include routes
--@include choosing
--@include telling
local reply = { '1', at }
local r = route_of(ARGV[1] or '')
if not r then return reply end
tell_route(reply, r)
local f, b = peer_of('f:' .. r.front), peer_of('b:' .. r.back)
local n = b and name_of(b.name) or { manual = 'o', flag = '0' }
local id, reason = choose(r.session, r.back)
local words = { f and f.state or '', b and b.state or '', n.manual, n.flag,
  b and call('HGET', SEQS, 'n' .. b.key) or '0', id or '', id and peer_of('b:' .. id).name or '', reason or '' }
for i = 1, #words do reply[#reply + 1] = words[i] end
return reply
