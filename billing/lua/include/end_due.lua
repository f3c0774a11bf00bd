-- Ends open holds that are past their time, the first due first. In: most; the lists of read_states. Out: over (the
-- ids that were due), ended (how many by their state's letter); money, entries, lists.
local ended, over = { c = 0, e = 0 }, call('ZRANGEBYSCORE', DEADLINES, '-inf', '(' .. at, 'LIMIT', 0, most)
local stored = over[1] and call('HMGET', MESSAGES, unpack(over))
for k, id in ipairs(over) do
  local st = states[id]
  if st == nil then st = stored[k] end
  local before = st
  if st then
    --@include end_hold
  end
  if st ~= before then
    ended[sub(st, 1, 1)] = ended[sub(st, 1, 1)] + 1
  elseif st and find('hs', sub(st, 1, 1), 1, true) then
    -- Due later: the settings were made longer meanwhile, or the clock is in doubt.
    --@include ends
    if lags and lags[period] > 0 then ends = math.min(ends + lags[period], math.max(ends, settles[period])) end
    due[#due + 1], due[#due + 2] = fmt('%d', ends), id
  else
    done[#done + 1] = id
  end
end
