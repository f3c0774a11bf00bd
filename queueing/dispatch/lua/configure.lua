--[[ dispatch/configure
Purpose: Writes new settings; they count from this moment. No session is touched.
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
ARGV[1] columns        the settings as conf from column 2
ARGV[2] script_sha     SHA-1 of dispatch/start
Reply: [1, ""] or [1, "repeat"]
Errors: [-1, reason]: "no such group", "script outdated …", "malformed settings"
Complexity: O(names × log n)
Version: 1
]]
--@include open
local columns = ARGV[1] or ''
if #columns ~= 49 or not find(columns, '^[ltk]|%d+$') then return { '-1', 'malformed settings' } end
call('HSET', GROUP, 'script_sha', ARGV[2] or '', 'script_version', VERSION)
if status .. columns == conf then return { '1', 'repeat' } end
conf, head[8] = status .. columns, int(sub(columns, 40, 49))
sharing = sub(conf, 2, 2)
call('HSET', GROUP, 'conf', conf, 'log_limit', head[8])
--@include peers
call('DEL', READY) -- its scores are those of the way of sharing
local flat = call('HVALS', NAMES)
for i = 1, #flat do
  local id = match(flat[i], '^%a\t%d\t([^\t]*)')
  local p = id ~= '' and peer_of('b:' .. id)
  if p then settle(p) end
end
log('configured')
redis.pcall('PUBLISH', 'timers:new', GROUP)
--@include close
return { '1', '' }
