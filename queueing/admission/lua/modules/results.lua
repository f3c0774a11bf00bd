-- Results of devices: a table of texts task, token, ok, took_ms, data.
local results = {}

-- Takes a result. Returns accepted, repeat, late, unknown task or unknown token.
function results.take(device, result)
  local task = tasks.read(result.task)
  if not task or task.device ~= device then return 'unknown task' end
  local holder = '@' .. device
  local permit = permits.of(holder)
  if permit and permits.is_over(permit) then -- ended before this came, whether swept or not
    endings.finish(holder, permit, 'expired')
    task = tasks.read(result.task)
  end
  local start, stop, mark = string.find(task.tokens, result.token .. '(L?)')
  if not start then
    if not results.is_unknown_to_sql(task, result.token) then return 'unknown token' end
    tasks.add_token(task, result.token)
    return results.decide(task, result)
  end
  local is_current = stop == #task.tokens
  if is_current and task.state == 'running' then return results.decide(task, result) end
  if mark == 'L' or (is_current and results.is_decided(task)) then return 'repeat' end
  return results.keep_late(task, result, stop)
end

-- Whether a result has ended the task, and not its time.
function results.is_decided(task)
  return task.state == 'done' or (task.state == 'failed' and task.payload ~= tasks.NOBODY_TOLD)
end

-- After a loss, SQL may not have the last attempt: its token is of the earlier generation, and newer.
function results.is_unknown_to_sql(task, token)
  if gate.conf.status ~= 'recovering' or not checks.is_token(token) or token + 0 >= gate.generation + 0 then
    return false
  end
  local last = tasks.last_token(task)
  return (task.state == 'pending' or task.state == 'running') and (last == '' or token > last)
end

-- The result of the attempt that counts: the task has ended, and the slot is free.
function results.decide(task, result)
  local holder = '@' .. task.device
  local permit = permits.of(holder)
  if permit and permit.token == result.token then
    permits.learn(permit)
    permits.drop(holder, permit)
  end
  local state = result.ok == '1' and 'done' or 'failed'
  tasks.log(state, task, result.token, result.ok == '1' and '' or 'device', result.data)
  gate.count(state)
  adaptive.observe(result.ok, result.took_ms)
  tasks.finish(task, state)
  return 'accepted'
end

-- A result of an attempt that no longer counts: it is written to the history, once.
function results.keep_late(task, result, stop)
  local before, after = string.sub(task.tokens, 1, stop), string.sub(task.tokens, stop + 1)
  task.tokens = before .. 'L' .. after
  tasks.write(task)
  tasks.log('late', task, result.token, result.ok == '1' and 'ok' or 'failed', result.data)
  gate.count('late')
  gate.count('overrun')
  return 'late'
end
