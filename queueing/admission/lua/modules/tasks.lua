-- Tasks. A record in {gate}:tasks: letter of the state, attempt, tokens of the attempts, µs of the issue, batch,
-- device, payload. L after a token means that its late result is stored. {gate}:work has each task by batch and state,
-- {gate}:devices the tasks of a device that have not ended.
local tasks = {}

tasks.LETTER = { pending = 'p', running = 'r', done = 'd', failed = 'f', expired = 'x' }
tasks.STATE = { p = 'pending', r = 'running', d = 'done', f = 'failed', x = 'expired' }
tasks.NUMBER = { pending = 0, running = 1, done = 2, failed = 3, expired = 4 }
tasks.STATES_OF_BATCH = 8 -- room for this many states in a score of {gate}:work
tasks.RECORD = '^(%a)\t(%d+)\t([^\t]*)\t(%d*)\t(%d+)\t([^\t]+)\t(.*)$'
tasks.NOBODY_TOLD = 'n' -- payload of a task that failed without a result: a result that comes is late, not a repeat

-- The score of a batch's tasks in one state.
function tasks.score(batch, state)
  return string.format('%d', batch * tasks.STATES_OF_BATCH + tasks.NUMBER[state])
end

function tasks.read(id)
  local record = redis.call('HGET', gate.tag .. ':tasks', id)
  if not record then return nil end
  local letter, attempt, tokens, issued, batch, device, payload = string.match(record, tasks.RECORD)
  return {
    id = id,
    state = tasks.STATE[letter],
    attempt = attempt + 0,
    tokens = tokens,
    issued = issued,
    batch = batch,
    device = device,
    payload = payload,
  }
end

function tasks.write(task)
  local record = table.concat({ tasks.LETTER[task.state], string.format('%d', task.attempt), task.tokens,
    task.issued, task.batch, task.device, task.payload }, '\t')
  redis.call('HSET', gate.tag .. ':tasks', task.id, record)
  redis.call('ZADD', gate.tag .. ':work', tasks.score(task.batch, task.state), task.id)
end

-- The IDs of a device's tasks that have not ended, in order, separated by blanks, or false.
function tasks.list_of(device)
  return redis.call('HGET', gate.tag .. ':devices', device)
end

function tasks.last_token(task)
  return string.match(task.tokens, '(%d+)L?$') or ''
end

function tasks.add_token(task, token)
  task.tokens = task.tokens .. (task.tokens == '' and '' or ',') .. token
end

-- Writes a history entry about a task. token: nil = the last one.
function tasks.log(event, task, token, reason, data, deadline)
  gate.log(event, '@' .. task.device, token or tasks.last_token(task), deadline, task.id, task.attempt, task.batch,
    reason, data)
end

-- An attempt begins: the task is running with this token.
function tasks.start(task, token)
  task.state, task.issued = 'running', gate.at
  tasks.add_token(task, token)
  tasks.write(task)
end

-- The task is over, and its payload is removed.
function tasks.finish(task, state, payload)
  task.state, task.payload = state, payload or ''
  tasks.write(task)
  tasks.take_from_device(task)
end

function tasks.take_from_device(task)
  local kept = {}
  for id in string.gmatch(tasks.list_of(task.device) or '', '%S+') do
    if id ~= task.id then kept[#kept + 1] = id end
  end
  local devices = gate.tag .. ':devices'
  if #kept == 0 then
    redis.call('HDEL', devices, task.device)
  else
    redis.call('HSET', devices, task.device, table.concat(kept, ' '))
  end
end

-- The attempt ended without a result. There is another attempt, or none is left.
function tasks.give_back(task)
  if task.state ~= 'running' then return end
  if task.attempt < gate.conf.attempts and batches.goes_on(task.batch) then
    task.state, task.attempt = 'pending', task.attempt + 1
    tasks.write(task)
    tasks.log('returned', task)
    gate.count('returned')
  else
    tasks.log('failed', task, nil, 'no result')
    gate.count('failed')
    tasks.finish(task, 'failed', tasks.NOBODY_TOLD)
  end
end
