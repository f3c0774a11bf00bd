-- Time decides, not the sweep: an open hold whose deadline has passed ends here, all returned.
-- Exactly at the deadline still counts. In: id, st. Out: st, money, entry, lists.
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
end
