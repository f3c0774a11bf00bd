-- Writes what every change moves: the sequence, the clock, the carried calls; wakes those who watch.
-- The first change in each tenth of a second publishes; a watcher reads again until nothing is new.
if seq > first_seq then
  if carried > pool[4] + 0 then
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at, 'carried', fmt('%d', carried))
  else
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at)
  end
  if math.floor(now / 100000) ~= math.floor((pool[3] or 0) / 100000) then
    call('PUBLISH', POOL .. ':wake', '')
  end
  if math.floor(seq / 256) ~= math.floor(first_seq / 256) then
    local kept = call('HMGET', POOL, 'drained', 'log_limit')
    local done, room = tonumber(kept[1]) or 0, tonumber(kept[2]) or 1000000
    if seq - done > room then
      call('XTRIM', LOG, 'MINID', fmt('%.0f-0', done + 1))
      local dropped = call('XTRIM', LOG, 'MINID', fmt('%.0f-0', seq - room + 1))
      if dropped > 0 then call('HINCRBY', POOL, 'dropped', dropped) end
    end
  end
end
