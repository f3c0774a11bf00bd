-- Writes what every change moves and what is new of a doubt, and wakes those who watch: the first change in each tenth
-- of a second publishes; a watcher reads again until nothing is new. `pend` moves with `bal`.
if now < acct[3] + 0 then call('HSET', ACCT, 'clock', at, 'ahead', 0) end -- it was: a sweep looks at what that began
if doubt_after then call('HSET', ACCT, 'clock', at, 'doubt', doubt_after) end
if seq > first_seq then
  if bal ~= first_bal or held ~= first_held or conf_after then
    call('HSET', ACCT, 'seq', fmt('%d', seq), 'clock', at, 'bal', fmt('%d', bal), 'pend',
      fmt('%d', acct[5] + (bal - first_bal)), 'held', fmt('%d', held), 'spent', fmt('%d', spent > 0 and spent or 0))
    if conf_after then call('HSET', ACCT, 'conf', conf_after) end
  else
    call('HSET', ACCT, 'seq', fmt('%d', seq), 'clock', at)
  end
  if receivable then call('HSET', ACCT, 'receivable', fmt('%d', receivable)) end
  if math.floor(now / 100000) ~= math.floor(acct[3] / 100000) then redis.pcall('PUBLISH', ACCT .. ':wake', '') end
elseif now - acct[3] >= 10000000 and (sub(conf, 2, 17) + 0 > 0 or call('ZCARD', DEADLINES) > 0) then
  call('HSET', ACCT, 'clock', at) -- it was seen, so it is believed when the next one asks
end
