-- Writes what every change moves: the sequence, the clock, the carried calls; wakes those who watch.
if seq > first_seq then
  if carried > pool[4] + 0 then
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at, 'carried', fmt('%d', carried))
  else
    call('HSET', POOL, 'seq', fmt('%d', seq), 'clock', at)
  end
  --@include closed
end
