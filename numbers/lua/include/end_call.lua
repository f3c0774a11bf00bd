-- The number's call ends now.
-- In: number, st (its state, or what stands behind the time), cut (where its call begins in st), u since
--   props (the state before the call), cid (its call id), event (its name in the history), why (reason),
--   rest_ms (rest at least this long), texts (the history's: the call id, and what was told of the call). Out: kept_1, value_1, seq_text.
local ready, ready_at, rests = now, at, ''
if rest_ms > 0 then
  ready, rests = now + rest_ms * 1000, 'r'
  ready_at = fmt('%d', ready)
end
local held = sub(props, 1, 8) == ',"held":' and match(props, '^,"held":"(%a*)"')
local region = sub(props, 1, 10) == ',"region":' and sub(props, 11, 14)
if sub(conf, 56, 61) ~= '000000' then
  local from = region and 15 or 1
  local day = sub(props, from + 7, from + 16)
  local used = day == sub(conf, 84, 93) and match(props, '^%d+', from + 25)
  if held then day, used = match(props, '"day":(%d+),"used":(%d+)') end
  if used and day == sub(conf, 84, 93) and used + 0 >= sub(conf, 56, 61) + 0 and day * 1000000 > ready then
    ready, ready_at, rests = day * 1000000, day .. '000000', 'c'
  end
end
local last = ''
local window = sub(conf, 70, 77)
if window ~= '00000000' and byte(st, cut + 15) ~= 34 then -- an agent had it, and may be called back
  local its = find(props, ',"last":"', 1, true)
  if its then props = sub(props, 1, its - 1) end
  last = ',"last":"' .. sub(st, cut + 15, find(st, '"', cut + 15, true)) .. ',"until":' .. fmt('%d', now + window * 1000000)
end
call('HSET', NUMSTATE, number,
  '{"callstate":0,"regstate":' .. u .. ',"at":' .. ready_at .. props .. last .. '}')
if u == '1' and not held then
  call('ZADD', IDLE, ready_at, number)
  if region and byte(conf, 2) == 49 then
    call('ZADD', NEAR, fmt('%d', region * REGION + (ready + -ready % 1000) / 1000), number)
  end
elseif u == '1' then
  call('HINCRBY', POOL, 'aside', 1)
end
call('ZREM', TIMERS, number)
if cid ~= '' then kept_1, value_1 = 'c:' .. cid, 'E' .. at .. number end
local reg = (u == '1' and 'u' or 'd') .. (held or '')
if u == '0' then call('HINCRBY', POOL, 'busy_down', -1) end
seq = seq + 1
seq_text = fmt('%d', seq)
call('XADD', LOG, seq_text, 'at', at, 'c', texts, 'e', event .. '\t' .. number .. '\tb' .. reg
  .. (find(st, ',"suspect":1', cut + 20, true) and 's' or '') .. '\ti' .. reg .. rests
  .. '\t' .. why .. '\t\t' .. since .. '\t' .. ready_at .. '\tw')
