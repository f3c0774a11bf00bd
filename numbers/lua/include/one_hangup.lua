-- `hangup`: by number, by call id, or both.
if known and id ~= '' then
  local kind = byte(known)
  if kind == 76 then -- L: in a call
    local its = sub(known, 2)
    if number == '' then number = its
    elseif number ~= its then outcome, reason = '-1', 'other call' end
    if outcome == '-1' then
      --@include state_of
      break
    end
  elseif kind == 69 then -- E: ended
    --@include age
    local its = sub(known, 18)
    if age < 600000000 and (number == '' or number == its or its == '') then
      number, reason = its, 'repeat'
      --@include state_of
      break
    end
  elseif kind == 87 or kind == 79 then -- W: waits, O: a number is offered
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    slow.leave(id, known)
    seq, conf = slow.synced()
    reason = 'left'
    break
  end
end
if number == '' then -- a call id never seen, and no number: the call may still come
  call('HSET', POOL, 'c:' .. id, 'E' .. at)
  reason = 'early'
  break
end
st = call('HGET', NUMSTATE, number)
if not st then
  state = 'nodata'
else
  --@include cut_call
  if not b then
    slow = slow or machinery(now, at)
    b, u, since, props = slow.foreign(number, st)
    if not b then outcome, reason = '-1', 'unreadable state' break end
    if b == '1' then
      st, cut = props, find(props, ',"call":[', 1, true)
      props = sub(props, 1, cut - 1)
    end
  end
end
if st then state = (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down') end
if b ~= '1' then
  if byte(conf, 4) == 49 then -- it may be the call of a deleted number
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    local told = answered ~= '' and ',"answered":"' .. answered .. '","talk_seconds":"' .. talk .. '"' or ''
    if release_cause ~= '' then told = told .. ',"cause":"' .. slow.json(release_cause) .. '"' end
    local buried = slow.bury(number, id, 'hangup', cause, nil, told)
    seq, conf = slow.synced()
    if buried then
      reason = 'old call'
      -- Without ids the table holds: the number itself was in no call.
      if id == '' then outcome = b and '-1' or '0' end
      break
    end
  end
  if not b then outcome, reason = '0', 'unknown number'
  elseif id == '' then outcome, reason = '-1', 'not in a call'
  else
    call('HSET', POOL, 'c:' .. id, 'E' .. at .. number)
    reason = 'early'
  end
  break
end
local from = find(st, '"', cut + 15, true) + 3 -- behind the agent
if sub(st, from, from + #id_json - 1) ~= id_json or byte(st, from + #id_json) ~= 34 then
  outcome, reason = '-1', id == '' and 'call id needed' or 'other call'
  break
end
local cid, why, rest_ms = id, cause, sub(conf, 36, 45) + 0
--@include end_call
state = u == '1' and 'idle+up' or 'idle+down'
if byte(conf, 4) == 49 then
  slow = slow or machinery(now, at)
  slow.sync(seq, conf)
  slow.serve()
  seq, conf = slow.synced()
end
