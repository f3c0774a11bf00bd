--[[ dispatch/upgrade_flag
Purpose: An upgrade begins or ends its own drain of a name, beside what an operator says of it.
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
ARGV[2] on             1 or 0
ARGV[3] reason         200 characters at most
Reply: [1, manual state, 0, "" or "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "no such name"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include peers
local on, reason = ARGV[2] or '', ARGV[3] or ''
if on ~= '0' and on ~= '1' then return { '-1', 'malformed on' } end
if #reason > 200 or find(reason, '%c') then return { '-1', 'malformed reason' } end
local n = name_of(ARGV[1] or '')
if not n then return { '-1', 'no such name' } end
if n.flag == on then return { '1', n.manual, '0', 'repeat' } end
n.flag = on
keep_name(n)
local p = n.back ~= '' and peer_of('b:' .. n.back)
if p then settle(p) end
log(on == '1' and 'upgrading' or 'upgraded', p and p.key, n.name, '', '', reason)
--@include close
return { '1', n.manual, '0', '' }
