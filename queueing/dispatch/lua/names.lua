--[[ dispatch/names
Purpose: Reads every name: its manual state, its upgrade flag, the instance under it.
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
Reply: [1, then five words for each: name, manual state, upgrade flag, back or "", until or ""]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(names)
Version: 1
]]
--@include open
local reply, flat = { '1' }, call('HGETALL', NAMES)
for i = 1, #flat, 2 do
  local manual, flag, back, till = match(flat[i + 1], '^(%a)\t(%d)\t([^\t]*)\t(%d*)')
  for _, word in ipairs({ flat[i], manual, flag, back, till }) do reply[#reply + 1] = word end
end
return reply
