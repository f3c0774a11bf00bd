-- Time decides, not the sweep: an open hold whose deadline has passed ends here, all returned; a
-- parked report becomes an orphan. Exactly at the deadline still counts. In: id, st. Out: st (false:
-- no message any more), money, entry, lists.
local open = sub(st, 1, 1)
if open == 'h' or open == 's' then
  --@include ends
  local kind, late = sub(st, 2, 2), now - ends
  if late > 0 and not (lags and late <= lags[period]) then
    local quoted, outcome, facts, prices = match(st, '^(%d+)|([^|]*)|([^|]*)|(.*)$', 24)
    local ended = open == 's' and 'e' or 'c'
    bal, held = bal + quoted, held - quoted
    if sub(st, 3, 7) == sub(conf, 72, 76) then spent = spent - quoted end
    seq = seq + 1
    call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', (open == 's' and 'expire' or 'cancel') .. '\t' .. id .. '\t'
      .. quoted .. '\t-' .. quoted .. '\t' .. ended .. '\t' .. kind .. '\t' .. quoted .. '\t' .. facts .. '\t\t0\t\tdeadline')
    st = ended .. sub(st, 2, 7) .. at .. quoted .. '|' .. outcome .. '|' .. facts .. '|' .. prices
    states[id] = st
    sets[#sets + 1], sets[#sets + 2], done[#done + 1] = id, st, id
  end
elseif open == 'p' and now - sub(st, 8, 23) - (lags and lags[3] or 0) > sub(conf, 42, 48) * 1000000 then
  local word = match(st, '|([fd][^|!]*)', 24)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'flag\t' .. id .. '\t0\t0\t\tm\t0\t\t\t\t\t0\torphan\t'
    .. (word == 'f' and 'failed' or sub(word, 2)) .. '\t0')
  call('HDEL', MESSAGES, id)
  call('ZREM', PARKED, id)
  st = false
  states[id] = st
end
