-- Writes what was counted, and wakes those who watch, once in each tenth of a second.
for counter, n in pairs(added) do call('HINCRBY', GROUP, counter, n) end
local tenth = int(math.floor(now / 100000))
if head[6] ~= tenth then
  call('HSET', GROUP, 'woken', tenth, 'clock', at, 'seq', int(seq))
  if was_away then call('HSET', GROUP, 'listens_at', int(listens_at)) end
  redis.pcall('PUBLISH', GROUP .. ':wake', '')
elseif seq > first_seq then
  call('HSET', GROUP, 'clock', at, 'seq', int(seq))
end
