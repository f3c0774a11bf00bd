-- The number's call ends now.
-- In: number, u since props tail (its state, cut before the call), cid and cid_json (its call id),
--   heard (the record of the switch that says so, or nil), event (its name in the history),
--   why (reason), rest_ms (rest at least this long).
local ready, ready_at, rests = now, at, ''
if rest_ms > 0 then
  ready, rests = now + rest_ms * 1000, 'r'
  ready_at = fmt('%d', ready)
end
local held = sub(props, 1, 8) == ',"held":' and match(props, '^,"held":"(%a*)"')
local region = sub(props, 1, 10) == ',"region":' and sub(props, 11, 14)
if sub(conf, 56, 61) ~= '000000' then
  local from = region and 15 or 1
  local day, used = sub(props, from + 7, from + 16), match(props, '^%d+', from + 25)
  if held then day, used = match(props, '"day":(%d+),"used":(%d+)') end
  if used and day == sub(conf, 84, 93) and used + 0 >= sub(conf, 56, 61) + 0 and day * 1000000 > ready then
    ready, ready_at, rests = day * 1000000, day .. '000000', 'c'
  end
end
local window = sub(conf, 70, 77)
if window ~= '00000000' then
  local from = find(tail, ',"agent":"', 32, true) + 10
  local by = sub(tail, from, find(tail, '"', from, true) - 1)
  if by ~= '' then
    local last = find(props, ',"last":"', 1, true)
    if last then props = sub(props, 1, last - 1) end
    props = props .. ',"last":"' .. by .. '","until":' .. fmt('%d', now + window * 1000000)
  end
end
call('HSET', NUMSTATE, number,
  '{"callstate":0,"regstate":' .. u .. ',"at":' .. ready_at .. props .. '}')
if u == '1' and not held then
  call('ZADD', IDLE, ready_at, number)
  if region and byte(conf, 2) == 49 then
    call('ZADD', NEAR, fmt('%d', region * REGION + math.ceil(ready / 1000)), number)
  end
elseif u == '1' then
  call('HINCRBY', POOL, 'aside', 1)
end
call('ZREM', TIMERS, number)
if cid ~= '' then
  if heard then call('HSET', INDEX, 'c' .. cid, 'E' .. at .. number, 'w' .. switch, heard)
  else call('HSET', INDEX, 'c' .. cid, 'E' .. at .. number) end
end
local reg = (u == '1' and 'u' or 'd') .. (held or '')
if u == '0' then call('HINCRBY', POOL, 'busy_down', -1) end
seq = seq + 1
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', event .. '\t' .. number .. '\tb' .. reg
  .. (find(tail, ',"suspect":1', 32, true) and 's' or '') .. '\ti' .. reg .. rests
  .. '\t' .. why .. '\t\t' .. since .. '\t' .. ready_at .. '\t,"call":"' .. cid_json .. '"')
