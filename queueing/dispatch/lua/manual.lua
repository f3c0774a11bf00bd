--[[ dispatch/manual
Purpose: An operator opens, drains or blocks a name. Blocked: sessions of its instance are void, sweeps tell both ends.
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
ARGV[2] state          o open, d drain, b blocked
ARGV[3] until          µs at which it opens by itself, or ""; one that has passed: it is opened
ARGV[4] reason         200 characters at most
Reply: [1, state before, sessions that are ended, "" or "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed …", "too many names"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include untils
local name, state, till, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
if #name > 40 or not find(name, '^%w[%w._-]*$') then return { '-1', 'malformed name' } end
if not find(state, '^[odb]$') then return { '-1', 'malformed state' } end
if not find(till, '^%d*$') or #till > 16 then return { '-1', 'malformed until' } end
if #reason > 200 or find(reason, '%c') then return { '-1', 'malformed reason' } end
if till ~= '' and till + 0 <= now then state, till = 'o', '' end -- that time has passed
local n = name_of(name)
if not n and call('HLEN', NAMES) >= 1000 then return { '-1', 'too many names' } end
local is_new = not n
n = n or { name = name, manual = 'o', flag = '0', back = '', till = '', weight = '' }
local before, ended = n.manual, 0
if not is_new and before == state and n.till == till then return { '1', before, '0', 'repeat' } end
n.manual, n.till = state, till
keep_name(n)
note_until(till)
local p = n.back ~= '' and peer_of('b:' .. n.back)
if p then
  if state == 'b' and before ~= 'b' then
    ended = void(p, 'block')
    keep_peer(p)
  end
  settle(p)
end
local WORDS = { o = 'open', d = 'drain', b = 'blocked' }
log(WORDS[state], p and p.key, name, WORDS[before], int(ended), reason, till)
if till ~= '' then redis.pcall('PUBLISH', 'timers:new', GROUP) end
--@include close
return { '1', before, int(ended), '' }
