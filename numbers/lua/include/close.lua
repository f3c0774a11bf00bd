-- Writes what every change moves: the sequence, the clock, the carried calls; wakes those who watch. Without a change
-- the clock alone, once a second: the next command compares its own with it.
if seq > first_seq then
  if carried > pool[4] + 0 then
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at, 'carried', fmt('%d', carried))
  else
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at)
  end
  --@include closed
elseif math.abs(now - last) > 1000000 then
  call('HSET', POOL, 'clock', at, 'conf', conf)
end
