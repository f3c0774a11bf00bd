--[[ dispatch/outbox
Purpose: Reads a peer's frames from a number on, in order; none while they are held.
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
ARGV[1] peer           whose outbox
ARGV[2] link           the token of its socket
ARGV[3] from           the first number
ARGV[4] count          how many at most, 1 to 500
Reply: [1, number, frame, …]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such peer", "replaced"
Complexity: O(count)
Version: 1
]]
--@include open
--@include peers
local from, count = ARGV[3] or '', tonumber(ARGV[4])
if not find(from, '^%d+$') or #from > 15 then return { '-1', 'malformed number' } end
if not count or count < 1 or count > 500 or count % 1 ~= 0 then return { '-1', 'malformed count' } end
local p = peer_of(ARGV[1] or '')
if not p or p.state == 's' then return { '-1', 'no such peer' } end
if p.link ~= ARGV[2] then return { '-1', 'replaced' } end
local reply = { '1' }
if p.held == '1' then return reply end
local n = call('HMGET', SEQS, 'a' .. p.key, 'o' .. p.key)
local first = math.max(from + 0, (n[1] or 0) + 1)
local last = math.min((n[2] or 0) + 0, first + count - 1)
local fields = {}
for number = first, last do fields[#fields + 1] = p.key .. '\t' .. int(number) end
local entries = #fields > 0 and call('HMGET', OUT, unpack(fields)) or {}
for i = 1, #entries do
  if entries[i] then
    reply[#reply + 1] = int(first + i - 1)
    reply[#reply + 1] = entries[i]
  end
end
return reply
