-- A device's next word: the task it runs, a new one, or its place in the line.
local function answer(word, t, token, deadline, again, reason, rank)
  local place, estimate = '', ''
  if rank then
    local its_place, its_estimate, its_again = prospect(rank, reason)
    place, estimate, again = its_place, its_estimate, its_again
  end
  return { word, t and t.id or '', t and t.payload or '', token or '', deadline or '', t and fmt('%d', t.attempt) or '',
    again or fmt('%d', sub(conf, 33, 37)), place, estimate, reason or '' }
end

-- µs until which the device may work on the external system
local function working_until(deadline) return fmt('%d', deadline - sub(conf, 19, 23) * 1000000) end

local function renew_task(who, held, t)
  local longest = sub(held, 33, 48) + sub(conf, 24, 30) * 1000000
  local deadline = math.max(sub(held, 17, 32) + 0, math.min(now + PERMIT, longest))
  local text = fmt('%d', deadline)
  call('ZADD', PERMITS, text, who)
  held = sub(held, 1, 16) .. text .. sub(held, 33, 48) .. t.id
  call('HSET', GATE, '=' .. who, held)
  log('renewed', who, sub(held, 1, 16), text, t.id, t.attempt, t.batch)
  add('renewed')
  return held
end

-- A running attempt that SQL had not heard of when Redis was lost: its device says that it lives.
local function adopt_task(who, t, token)
  local ghosts = (call('HGET', GATE, 'ghosts') or cap) + 0
  if ghosts < 1 then return nil end
  call('HSET', GATE, 'ghosts', fmt('%d', ghosts - 1))
  t.state, t.issued = 'r', at
  t.tokens = t.tokens .. (t.tokens == '' and '' or ',') .. token
  write_task(t)
  local deadline = fmt('%d', now + PERMIT)
  call('ZADD', PERMITS, deadline, who)
  local held = token .. deadline .. at .. t.id
  call('HSET', GATE, '=' .. who, held)
  log('adopted', who, token, deadline, t.id, t.attempt, t.batch)
  return held
end

local function running(who, held, renew)
  local t = read_task(task_of(held))
  local reason = ''
  if sub(held, 49, 49) == 'u' then -- shown to be alive
    held = sub(held, 1, 48) .. t.id
    call('HSET', GATE, '=' .. who, held)
  end
  if renew ~= '' then
    if renew == sub(held, 1, 16) then held = renew_task(who, held, t) else reason = 'other token' end
  end
  return answer('task', t, sub(held, 1, 16), working_until(sub(held, 17, 32)), nil, reason)
end

local function issue(who, t)
  leave(who)
  started()
  local token, deadline = fmt('%d', generation + seq + 1), fmt('%d', now + PERMIT)
  t.state, t.issued = 'r', at
  t.tokens = t.tokens .. (t.tokens == '' and '' or ',') .. token
  write_task(t)
  call('ZADD', PERMITS, deadline, who)
  call('HSET', GATE, '=' .. who, token .. deadline .. at .. t.id)
  log('issued', who, token, deadline, t.id, t.attempt, t.batch)
  add('granted')
  used_now = used_now + 1
  return answer('task', t, token, working_until(deadline))
end

local function fetch(device, renew)
  local list = call('HGET', DEVICES, device)
  if not list then
    return answer('none', nil, nil, nil, nil, renew ~= '' and 'not held' or loading() and 'loading' or '')
  end
  local who = '@' .. device
  local held = call('HGET', GATE, '=' .. who)
  if held and sub(held, 17, 32) + 0 <= due then
    end_permit(who, held, 'expired')
    held, list = nil, call('HGET', DEVICES, device) or ''
  end
  if held then return running(who, held, renew) end
  local next_task, paused
  for id in string.gmatch(list, '%S+') do
    local t = read_task(id)
    if renew ~= '' and unknown_to_sql(t, renew) then
      held = adopt_task(who, t, renew)
      if held then return running(who, held, '') end
    end
    local status = t.state == 'p' and batch_status(t.batch)
    if status == 'o' then
      next_task = t
      break
    end
    paused = paused or status == 'p'
  end
  if not next_task then
    leave(who)
    return answer('none', nil, nil, nil, nil, paused and 'paused' or loading() and 'loading' or '')
  end
  local reason, rank = turn(who, used())
  if not reason then return issue(who, next_task) end
  stand(who)
  add('refused')
  return answer('wait', nil, nil, nil, reason == 'rate' and '1' or nil, reason, rank)
end
