-- Whether nobody may be called silent yet: no sweep for 10 s means that Redis was away, or that its
-- clock has stepped, and heartbeats that were sent could not be heard. They have one limit to come.
local listens = call('HMGET', GROUP, 'swept', 'listens_at')
local deaf = false
if listens[2] then
  deaf = listens[2] + 0 > now and listens[2] - now <= HEARTBEAT
  if not deaf then call('HDEL', GROUP, 'listens_at') end
elseif listens[1] and math.abs(now - listens[1]) > 10000000 then
  deaf = true
  call('HSET', GROUP, 'listens_at', int(now + HEARTBEAT))
end
call('HSET', GROUP, 'swept', at)
-- Times further ahead than a limit are of a clock that has stepped back since, or of longer limits.
local ahead = call('ZRANGEBYSCORE', BEATS, '(' .. int(now + HEARTBEAT), '+inf', 'LIMIT', 0, batch)
for i = 1, #ahead do call('ZADD', BEATS, int(now + HEARTBEAT), ahead[i]) end
ahead = call('ZRANGEBYSCORE', GONE, '(' .. int(now + DISCONNECT), '+inf', 'LIMIT', 0, batch)
for i = 1, #ahead do
  local p = peer_of(ahead[i])
  p.till = int(now + DISCONNECT)
  keep_peer(p)
  call('ZADD', GONE, p.till, p.key)
end
