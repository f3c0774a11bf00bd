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
if status == 'r' and head[9] and head[9] - now > DISCONNECT then
  head[9] = int(now + DISCONNECT)
  call('HSET', GROUP, 'opens_at', head[9])
end
