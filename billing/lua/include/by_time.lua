-- What time alone has done to a message: its hold has ended, or a parked report becomes an orphan.
-- In: id, st, PARKED. Out: st (false: no message any more), money, entry, lists.
--@include end_hold
if open == 'p' and now - sub(st, 8, 23) - (lags and lags[3] or 0) > sub(conf, 42, 48) * 1000000 then
  local word = match(st, '|([fd][^|!]*)', 24)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'flag\t' .. id .. '\t0\t0\t\tm\t0\t\t\t\t\t0\torphan\t'
    .. (word == 'f' and 'failed' or sub(word, 2)) .. '\t0')
  call('HDEL', MESSAGES, id)
  call('ZREM', PARKED, id)
  st = false
  states[id] = st
end
