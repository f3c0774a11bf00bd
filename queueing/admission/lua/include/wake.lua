-- Wakes those who watch, once in each tenth of a second, and keeps the history within its limit.
if seq > first_seq then
  if math.floor(now / 100000) ~= math.floor(last / 100000) then redis.pcall('PUBLISH', GATE .. ':wake', '') end
  if math.floor(seq / 256) ~= math.floor(first_seq / 256) then
    local kept = tonumber(call('HGET', GATE, 'drained')) or 0
    local room = sub(conf, 47, 56) + 0
    if seq - kept > room then
      call('XTRIM', LOG, 'MINID', fmt('%d-0', kept + 1))
      local dropped = call('XTRIM', LOG, 'MINID', fmt('%d-0', seq - room + 1))
      if dropped > 0 then call('HINCRBY', GATE, 'dropped', dropped) end
    end
  end
end
