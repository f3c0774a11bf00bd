-- The answer to a device that reports: the task that it runs, a new task, or its place in the line.
local devices = {}

-- The reply; `about`: task, permit, again, place, estimate, reason.
function devices.answer(word, about)
  local task, permit = about.task, about.permit
  return {
    word,
    task and task.id or '',
    task and task.payload or '',
    permit and permit.token or '',
    permit and devices.works_until(permit) or '',
    task and string.format('%d', task.attempt) or '',
    about.again or string.format('%d', gate.conf.period_seconds),
    about.place or '',
    about.estimate or '',
    about.reason or '',
  }
end

-- Until when (µs) the device may work on the external system.
function devices.works_until(permit)
  return string.format('%d', permit.deadline - gate.conf.margin_us)
end

-- renew: the token of the permit with which the device continues, or ''.
function devices.fetch(device, renew)
  local holder = '@' .. device
  local listed = tasks.list_of(device)
  if not listed then
    local reason = batches.is_loading() and 'loading' or ''
    return devices.answer('none', { reason = renew ~= '' and 'not held' or reason })
  end
  local permit = permits.of(holder)
  if permit and permits.is_over(permit) then
    endings.finish(holder, permit, 'expired')
    permit, listed = nil, tasks.list_of(device) or ''
  end
  if permit then return devices.go_on(holder, permit, renew) end
  local task, why = devices.choose(holder, listed, renew)
  if not task then
    line.leave(holder)
    if why ~= 'paused' and batches.is_loading() then why = 'loading' end
    return devices.answer('none', { reason = why })
  end
  if task.state == 'running' then return devices.go_on(holder, permits.of(holder), '') end
  local reason, rank, kept = line.turn(holder, 1)
  if not reason then return devices.issue(holder, task) end
  line.stand(holder, 1)
  gate.count('refused')
  local place, estimate, again = line.prospect(rank, reason, 1, kept)
  return devices.answer('wait', { place = place, estimate = estimate, again = again, reason = reason })
end

-- The first task that may start now, or one that a device brings back from before a loss of Redis (it is running then).
-- Otherwise nil, and why no pending task may start: paused, not open (the window begins later) or closed (it is over,
-- or the batch was cancelled).
function devices.choose(holder, listed, renew)
  local found = {}
  for id in string.gmatch(listed, '%S+') do
    local task = tasks.read(id)
    if renew ~= '' and results.is_unknown_to_sql(task, renew) and permits.ghosts() > 0 then
      return devices.adopt(holder, task, renew)
    end
    local status = task.state == 'pending' and batches.status(task.batch)
    if status == 'open' then return task end
    if status then found[status] = true end
  end
  if found.paused then return nil, 'paused' end
  if found.soon then return nil, 'not open' end
  return nil, next(found) and 'closed' or ''
end

-- Restores a running attempt that was not in SQL when Redis was lost: its device still reports it.
function devices.adopt(holder, task, token)
  local permit = { token = token, deadline = permits.next_deadline(), granted = gate.at, task = task.id, weight = 1 }
  tasks.start(task, token)
  permits.adopt(holder, permit)
  tasks.log('adopted', task, token, nil, nil, permit.deadline)
  return task
end

-- The device already runs a task. With `renew`, its permit is extended.
function devices.go_on(holder, permit, renew)
  local task, reason = tasks.read(permit.task), ''
  if permit.unseen then -- the device has shown that it is alive
    permit.unseen = false
    permits.write(holder, permit)
  end
  if renew ~= '' and renew ~= permit.token then reason = 'other token' end
  if renew ~= '' and renew == permit.token then
    permits.renew(holder, permit)
    tasks.log('renewed', task, permit.token, nil, nil, permit.deadline)
    gate.count('renewed')
  end
  return devices.answer('task', { task = task, permit = permit, reason = reason })
end

function devices.issue(holder, task)
  waits.note(holder)
  line.leave(holder)
  line.started(1)
  local permit = permits.grant(holder, task.id)
  tasks.start(task, permit.token)
  tasks.log('issued', task, permit.token, nil, nil, permit.deadline)
  return devices.answer('task', { task = task, permit = permit })
end
