-- The number's call begins now.
-- In: number, b u since props (its state), taken (already out of IDLE), id, session, direction, why
--   (the reason in the history), picked (by which rule), texts, and the JSON forms of the texts.
-- Out: kept_1 …, seq_text.
local held = sub(props, 1, 8) == ',"held":' and match(props, '^,"held":"(%a*)"') or ''
local has_region = sub(props, 1, 10) == ',"region":'
if held == '' and u == '1' then
  if not taken then call('ZREM', IDLE, number) end
  if has_region and byte(conf, 2) == 49 then call('ZREM', NEAR, number) end
elseif u == '1' then
  call('HINCRBY', POOL, 'aside', -1)
elseif has_region and byte(conf, 2) == 49 then
  call('ZREM', NEAR, number) -- left there when it went down; only a call that is taken back begins so
end
if direction == 'out' and why ~= 'adopted' then
  if sub(conf, 56, 61) ~= '000000' then -- a daily cap: count the call
    local from, today = has_region and 15 or 1, sub(conf, 84, 93)
    if sub(props, from, from + 6) == ',"day":' then
      local used, after = match(props, '^(%d+)()', from + 25)
      used = sub(props, from + 7, from + 16) == today and fmt('%d', used + 1) or '1'
      props = sub(props, 1, from - 1) .. ',"day":' .. today .. ',"used":' .. used .. sub(props, after)
    else
      props = sub(props, 1, from - 1) .. ',"day":' .. today .. ',"used":1' .. sub(props, from)
    end
  end
  local last = agent ~= '' and find(props, ',"last":"', 1, true)
  if last then props = sub(props, 1, last - 1) end -- it stands last; this agent takes its place
end
call('HSET', NUMSTATE, number, '{"callstate":1,"regstate":' .. u .. ',"at":' .. at .. props
  .. ',"call":[' .. session .. ',"' .. agent_json .. '","' .. id_json .. '","' .. callee_json .. '","' .. switch_json
  .. '","' .. incarnation_json .. (direction == 'in' and '","in"]}' or '"]}'))
call('ZADD', TIMERS, fmt('%d', session * BAND + (now - now % 1000) / 1000 + sub(conf, 6, 15)), number)
if id ~= '' then kept_1, value_1 = 'c:' .. id, 'L' .. number end
local window = callee ~= '' and direction == 'out' and sub(conf, 62, 69)
if window and window ~= '00000000' then
  local until_us = fmt('%d', now + window * 1000000)
  if kept_1 then kept_2, value_2 = 's:' .. callee, until_us .. number
  else kept_1, value_1 = 's:' .. callee, until_us .. number end
end
local reg = (u == '1' and 'u' or 'd') .. held
seq = seq + 1
seq_text = fmt('%d', seq)
call('XADD', LOG, seq_text, 'at', at, 'c', texts, 'e', 'call\t' .. number .. '\ti' .. reg .. '\tb' .. reg
  .. '\t' .. why .. '\t' .. picked .. '\t' .. since .. '\t\tw')
