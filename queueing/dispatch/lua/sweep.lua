--[[ dispatch/sweep
Purpose: What time brings, a bounded piece at a time: silent peers, stopped ones, routes of lives that are over, routes
  whose time has come, drains and blocks whose time has passed, the opening after a loss.
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
ARGV[1] batch          how many of each kind at most, 1 to 1 000
Reply: [1, more, opened, peers now pending, peers now stopped, routes cleared, expired, freed, now, next]; more = 1: call
  again at once; peers are joined by spaces; now and next in µs: nothing is due before next
Errors: [-1, reason]: "no such group", "script outdated …", "malformed batch"
Complexity: O(batch × log n)
Version: 1
]]
--@include open
--@include peers
--@include states
--@include routes
--@include untils
--@include clearing
local batch = tonumber(ARGV[1])
if not batch or batch < 1 or batch > 1000 or batch % 1 ~= 0 then return { '-1', 'malformed batch' } end
local more, pending, stopped = false, {}, {}
--@include ahead
end_untils()
local silent = deaf and {} or call('ZRANGEBYSCORE', BEATS, '-inf', at, 'LIMIT', 0, batch)
for i = 1, #silent do
  local p = peer_of(silent[i])
  pend(p, 'silent')
  pending[i] = p.key
end
-- Stopping empties an outbox, so few at a time.
local gone = deaf and {} or call('ZRANGEBYSCORE', GONE, '-inf', at, 'LIMIT', 0, math.min(batch, 20))
for i = 1, #gone do
  local p = peer_of(gone[i])
  stop(p, 'lost', 'silent')
  stopped[i] = p.key
end
local opened = not deaf and status == 'r' and head[9] and head[9] + 0 <= now
if opened then
  status, conf = 'o', 'o' .. sub(conf, 2)
  call('HSET', GROUP, 'conf', conf)
  call('HDEL', GROUP, 'opens_at')
  log('opened')
end
local cleared, again = clear_lives(batch)
local due = deaf and {} or call('ZRANGEBYSCORE', TIMERS, '-inf', at, 'LIMIT', 0, batch)
local expired, freed = deaf and 0 or clear_old(batch), 0
for i = 1, #due do
  local r = route_of(due[i])
  local provisional = r and sub(r.flags, 1, 1) == 'p'
  if not r then
    call('ZREM', TIMERS, due[i])
  elseif not end_route(r, provisional and 'one end only' or 'expired') then
    call('ZADD', TIMERS, int(now + 1000000), due[i]) -- an end has no room for it: a second later
  elseif provisional then
    freed = freed + 1
  else
    expired = expired + 1
  end
end
add('cleared', cleared)
add('expired', expired)
add('freed', freed)
-- When anything may be due next: by what there is, and by the shortest that may begin meanwhile.
local next_us = now + shortest_term()
local listening = deaf and listens_at or 0
next_us = math.min(next_us, math.max(listening, earliest(next_us, BEATS, GONE, TIMERS)))
if deaf then next_us = math.min(next_us, listens_at) end
if status == 'r' and head[9] then next_us = math.min(next_us, math.max(listening, head[9])) end
if head[11] and head[11] ~= '' then next_us = math.min(next_us, math.max(listening, head[11])) end
if call('EXISTS', CLEAR) == 1 then next_us = math.min(next_us, now + 1000000) end -- some have no room to be told
more = again or #silent == batch or #gone == math.min(batch, 20) or #due == batch
--@include close
return { '1', more and '1' or '0', opened and '1' or '0', concat(pending, ' '), concat(stopped, ' '), int(cleared),
  int(expired), int(freed), at, int(math.max(next_us, now)) }
