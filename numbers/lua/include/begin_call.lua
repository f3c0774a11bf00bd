-- The number's call begins now.
-- In: number, b u since props (its state), taken (already out of IDLE), id, session, direction, why
--   (the reason in the history), picked (by which rule), and the JSON forms of the texts.
local held = sub(props, 1, 8) == ',"held":' and match(props, '^,"held":"(%a*)"') or ''
local has_region = sub(props, 1, 10) == ',"region":'
if held == '' and u == '1' then
  if not taken then call('ZREM', IDLE, number) end
  if has_region and byte(conf, 2) == 49 then call('ZREM', NEAR, number) end
elseif u == '1' then
  call('HINCRBY', POOL, 'aside', -1)
end
if direction == 'out' and why ~= 'adopted' then
  if sub(conf, 56, 61) ~= '000000' then -- a daily cap: count the call
    local from, today = has_region and 15 or 1, sub(conf, 84, 93)
    if sub(props, from, from + 6) == ',"day":' then
      local used, after = match(props, '^(%d+)()', from + 25)
      used = sub(props, from + 7, from + 16) == today and used + 1 or 1
      props = sub(props, 1, from - 1) .. ',"day":' .. today .. ',"used":' .. used .. sub(props, after)
    else
      props = sub(props, 1, from - 1) .. ',"day":' .. today .. ',"used":1' .. sub(props, from)
    end
  end
  local last = agent ~= '' and find(props, ',"last":"', 1, true)
  if last then props = sub(props, 1, last - 1) end -- it stands last; this agent takes its place
end
-- The call's part is written out twice: as a string of its own it would cost a third one.
call('HSET', NUMSTATE, number, '{"callstate":1,"regstate":' .. u .. ',"at":' .. at .. props
  .. ',"session":' .. session .. ',"call":"' .. id_json .. '","switch":"' .. switch_json
  .. '","incarnation":"' .. incarnation_json .. '","agent":"' .. agent_json .. '","callee":"' .. callee_json
  .. '","direction":"' .. direction .. '"}')
call('ZADD', TIMERS, fmt('%d', session * BAND + sub(at, 1, 13) + sub(conf, 6, 15)), number)
if id ~= '' then
  local window = callee ~= '' and direction == 'out' and sub(conf, 62, 69)
  if window and window ~= '00000000' then
    call('HSET', INDEX, 'c' .. id, 'L' .. number, 's' .. callee, fmt('%d', now + window * 1000000) .. number)
  else
    call('HSET', INDEX, 'c' .. id, 'L' .. number)
  end
elseif callee ~= '' and direction == 'out' and sub(conf, 62, 69) ~= '00000000' then
  call('HSET', INDEX, 's' .. callee, fmt('%d', now + sub(conf, 62, 69) * 1000000) .. number)
end
local reg = (u == '1' and 'u' or 'd') .. held
seq = seq + 1
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'call\t' .. number .. '\ti' .. reg .. '\tb' .. reg
  .. '\t' .. why .. '\t' .. picked .. '\t' .. since .. '\t\t,"session":' .. session .. ',"call":"' .. id_json
  .. '","switch":"' .. switch_json .. '","incarnation":"' .. incarnation_json .. '","agent":"' .. agent_json
  .. '","callee":"' .. callee_json .. '","direction":"' .. direction .. '"')
