-- A report for the operator's list. In: id, st, flag, reported (a mode, or failed interim cancel ?).
-- Each flag is listed once for each thing reported, sixteen for a message at most. Out: st; entry.
local head, tail = match(st, '^(%d*|[^|]*)(|.*)$', 24)
local said = '!' .. sub(flag, 1, 5) .. ':' .. reported
local _, before = string.gsub(head, '!', '')
if before < 16 and not find(head .. '!', said .. '!', 1, true) then
  local quoted, kept = match(head, '^(%d*)|([^!]*)')
  local facts, prices = match(tail, '^|([^|]*)|(.*)$')
  local mode, paid = match(kept, '^(.*)=(%d+)$')
  local open = find('hs', sub(st, 1, 1), 1, true)
  local _, last = find(prices, '[,;]' .. reported .. '=')
  local worth = last and match(prices, '^%d+', last + 1) or 0
  -- Delivered less paid, as far as this report and the stored prices tell.
  local difference = flag == 'unreadable' and 0 or worth - (open and 0 or paid or 0)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'flag\t' .. id .. '\t0\t0\t' .. sub(st, 1, 1) .. '\t'
    .. sub(st, 2, 2) .. '\t' .. quoted .. '\t' .. facts .. '\t' .. (mode or '') .. '\t' .. (paid or '0') .. '\t'
    .. flag .. '\t' .. reported .. '\t' .. fmt('%d', difference))
  st = sub(st, 1, 23) .. head .. said .. tail
  states[id] = st
  sets[#sets + 1], sets[#sets + 2] = id, st
end
