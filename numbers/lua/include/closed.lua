-- After a change: the first one in each tenth of a second publishes (a watcher reads again until
-- nothing is new); every 256th looks whether the history has outgrown its limit.
if stepped then call('HSET', POOL, 'conf', conf) end
if sub(at, 1, 11) ~= sub(pool[3] or '', 1, 11) then redis.pcall('PUBLISH', POOL .. ':wake', '') end
if seq % 256 < seq - first_seq then
  local kept = call('HMGET', POOL, 'drained', 'log_limit')
  local done, room = tonumber(kept[1]) or 0, tonumber(kept[2]) or 1000000
  if seq - done > room then
    call('XTRIM', LOG, 'MINID', fmt('%.0f-0', done + 1))
    local dropped = call('XTRIM', LOG, 'MINID', fmt('%.0f-0', seq - room + 1))
    if dropped > 0 then call('HINCRBY', POOL, 'dropped', dropped) end
  end
end
