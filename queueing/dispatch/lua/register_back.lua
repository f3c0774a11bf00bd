--[[ dispatch/register_back
Purpose: An instance answers with the id that it has, or takes the offered one: equal = newly started. The old one
  under its name that is pending is stopped.
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
ARGV[1] offered        the id that it was offered
ARGV[2] id             the id that it has, or "" to take the offered one
ARGV[3] incarnation    its boot id, or ""
ARGV[4] name           stable, unique in the group
ARGV[5] version        of its software, 40 characters at most, or ""
ARGV[6] capacity       sessions at once, 1 to 1 000 000
ARGV[7] weight         1 to 32
ARGV[8] link           token of its socket
ARGV[9] process        token of the web process that holds the socket
ARGV[10] received      the last number that it has had from the dispatcher
Reply: [1, peer, arrival, received, sent, acked, process and link that were replaced, held, resync]; arrival: new
  reconnect restart takeover; received: the last number that the dispatcher has
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "taken" (its id or its name, by one that beats),
  "too many peers", "too many names"
Complexity: O(log n + frames that it has); O(weight × log n) for a new name
Version: 1
]]
--@include open
--@include peers
--@include states
--@include arriving
local offered, id, name, version = ARGV[1] or '', ARGV[2] or '', ARGV[4] or '', ARGV[5] or ''
local capacity, weight = ARGV[6] or '', ARGV[7] or ''
if id == '' then id = offered end
if #offered > 40 or not find(offered, '^%w[%w._-]*$') then return { '-1', 'malformed offered' } end
if #id > 40 or not find(id, '^%w[%w._-]*$') then return { '-1', 'malformed id' } end
if #name > 40 or not find(name, '^%w[%w._-]*$') then return { '-1', 'malformed name' } end
if #version > 40 or find(version, '%c') then return { '-1', 'malformed version' } end
if not find(capacity, '^[1-9]%d*$') or capacity + 0 > 1000000 then return { '-1', 'malformed capacity' } end
if not find(weight, '^[1-9]%d?$') or weight + 0 > 32 then return { '-1', 'malformed weight' } end
local wrong = malformed(ARGV[3], ARGV[8], ARGV[9], ARGV[10])
if wrong then return { '-1', wrong } end
local p = catch_up(peer_of('b:' .. id))
local n = name_of(name)
local other = n and n.back ~= '' and n.back ~= id and catch_up(peer_of('b:' .. n.back))
local reason
if p and p.state == 'a' and p.incarnation ~= ARGV[3] then reason = 'taken'
elseif other and other.state == 'a' then reason = 'taken'
elseif not p and call('HLEN', PEERS) >= 2000 then reason = 'too many peers'
elseif not n and call('HLEN', NAMES) >= 1000 then reason = 'too many names' end
if reason then
  --@include close
  return { '-1', reason }
end
local arrival
if not p then arrival = id == offered and 'new' or 'reconnect'
elseif p.state == 'a' then arrival = 'takeover'
elseif other_life(p, ARGV[3]) then arrival = 'restart'
else arrival = 'reconnect' end
if other then stop(other, 'restart', 'started anew under its name') end
if p and p.name ~= name then
  local old = name_of(p.name)
  if old and old.back == id then
    old.back = ''
    keep_name(old)
  end
end
n = name_of(name) or { name = name, manual = 'o', flag = '0', back = '', till = '', weight = '' }
if n.weight ~= weight then
  -- Its points on the ring: 64 for each unit of weight, five of 32 bits from each SHA-1.
  for i = 1, (tonumber(n.weight) or 0) * 64 do call('ZREM', RING, name .. '#' .. i) end
  local digest
  for i = 0, weight * 64 - 1 do
    local fifth = i % 5
    if fifth == 0 then digest = redis.sha1hex(name .. '#' .. i) end
    call('ZADD', RING, tonumber(sub(digest, fifth * 8 + 1, fifth * 8 + 8), 16), name .. '#' .. (i + 1))
  end
end
n.weight, n.back = weight, id
keep_name(n)
local gone = p or peer_of('b:' .. id) -- a stopped one whose routes are still being removed keeps its epoch
local new = { key = 'b:' .. id, id = id, front = false, profile = '', name = name, version = version,
  capacity = capacity, weight = weight, epoch = gone and gone.epoch or '1' }
return arrive(p, new, arrival, false, ARGV[3], ARGV[8], ARGV[9], ARGV[10])
