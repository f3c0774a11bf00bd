--[[ dispatch/destroy
Purpose: Removes a group's data and closes its peers' sockets.
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
ARGV[1] generation     of the data that is to go; newer data stays
Reply: [1, ""] or [1, "repeat"]: there is none
Errors: [-1, reason]: "malformed generation", "other generation <n>"
Complexity: O(peers); O(n) in the background
Version: 1
]]
local call = redis.call
local GROUP, generation = KEYS[1], ARGV[1] or ''
if not string.find(generation, '^%d+$') then return { '-1', 'malformed generation' } end
local there = call('HGET', GROUP, 'generation')
if there and there + 0 > generation + 0 then return { '-1', 'other generation ' .. there } end
local flat = call('HGETALL', KEYS[2] or GROUP .. ':peers')
for i = 1, #flat, 2 do
  local link, process = string.match(flat[i + 1], '^%a\t[^\t]*\t([^\t]*)\t([^\t]*)')
  if link and link ~= '' then
    redis.pcall('PUBLISH', 'dispatch:to:' .. process,
      table.concat({ string.sub(GROUP, 7, -2), flat[i], link, 'close', '4404', 'destroyed' }, '\t'))
  end
end
local suffixes = { '', ':peers', ':beats', ':gone', ':seqs', ':out', ':routes', ':timers', ':index', ':ready', ':ring',
  ':names', ':clear', ':log' }
for i = 1, #suffixes do call('UNLINK', KEYS[i] or GROUP .. suffixes[i]) end
redis.pcall('PUBLISH', GROUP .. ':wake', '')
return { '1', there and '' or 'repeat' }
