-- held → sent. In: id, st. Out: st; entry, deadline.
local facts, quoted = match(st, '|([^|]*)|[^|]*$'), match(st, '^%d+', 24)
seq = seq + 1
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'sent\t' .. id .. '\t0\t0\ts\t' .. sub(st, 2, 2) .. '\t' .. quoted
  .. '\t' .. facts)
st = 's' .. sub(st, 2, 7) .. at .. sub(st, 24)
states[id] = st
sets[#sets + 1], sets[#sets + 2] = id, st
due[#due + 1], due[#due + 2] = fmt('%d', now + sub(conf, 42, 48) * 1000000), id
