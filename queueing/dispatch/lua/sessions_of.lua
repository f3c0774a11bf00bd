--[[ dispatch/sessions_of
Purpose: Reads routes of a peer in the order of their ids, a page at a time.
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
ARGV[1] peer           f:<id> or b:<id>
ARGV[2] after          the session after which the page begins, or ""
ARGV[3] count          how many at most, 1 to 1 000
Reply: [1, now, after what the next page begins or "", then eleven words for each as dispatch/route has them]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …"
Complexity: O(count × log n)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include routes
--@include telling
local key, after, count = ARGV[1] or '', ARGV[2] or '', tonumber(ARGV[3])
if not find(key, '^[fb]:%w[%w._-]*$') then return { '-1', 'malformed peer' } end
if not count or count < 1 or count > 1000 or count % 1 ~= 0 then return { '-1', 'malformed count' } end
local p = { front = sub(key, 1, 1) == 'f', id = sub(key, 3) }
local low, high = range(p)
if after ~= '' then low = '(' .. (p.front and '' or '=' .. p.id .. '\t') .. after end
local some = call('ZRANGEBYLEX', INDEX, low, high, 'LIMIT', 0, count)
local reply, last = { '1', at, '' }, ''
for i = 1, #some do
  last = p.front and some[i] or match(some[i], '\t(.*)$')
  local r = route_of(last)
  if r then tell_route(reply, r) end
end
if #some == count then reply[3] = last end
return reply
