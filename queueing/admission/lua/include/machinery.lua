-- Permits and tasks as they begin and end. Everything here may write; scripts validate before.
-- A task: state, attempt, tokens of its attempts, µs of the issue, batch, device, payload;
-- states: p pending, r running, d done, f failed, x expired. A token followed by L: its late
-- result is kept. A permit ('=' .. holder): token, deadline, granted (16 digits each), then for
-- a device the task, with u before it as long as nobody has shown after a loss that it lives.
local hold, added = tonumber(head[6]) or 0, {}
local batches, used_now = {}, nil
local PERMIT = length
local STATE = { p = 0, r = 1, d = 2, f = 3, x = 4 }

local function add(counter, n) added[counter] = (added[counter] or 0) + (n or 1) end

local function log(event, holder, token, deadline, task, attempt, batch, reason, data)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', table.concat({ event, holder or '', token or '',
    deadline or '', task or '', attempt or '', batch or '', reason or '', data or '' }, '\t'))
end

-- Slots in use: live permits, and after a loss those that may still be held by somebody.
local function used()
  if not used_now then
    used_now = call('ZCOUNT', PERMITS, '(' .. fmt('%d', due), '+inf')
    if sub(conf, 1, 1) == 'r' then used_now = used_now + (call('HGET', GATE, 'ghosts') or sub(conf, 6, 12)) end
  end
  return used_now
end

local function read_task(task)
  local record = call('HGET', TASKS, task)
  if not record then return nil end
  local state, attempt, tokens, issued, batch, device, payload =
    string.match(record, '^(%a)\t(%d+)\t([^\t]*)\t(%d*)\t(%d+)\t([^\t]+)\t(.*)$')
  return { id = task, state = state, attempt = attempt + 0, tokens = tokens, issued = issued, batch = batch,
    device = device, payload = payload }
end

local function write_task(t)
  call('HSET', TASKS, t.id, table.concat({ t.state, fmt('%d', t.attempt), t.tokens, t.issued, t.batch, t.device,
    t.payload }, '\t'))
  call('ZADD', WORK, fmt('%d', t.batch * 8 + STATE[t.state]), t.id)
end

-- A batch's record: its status, the end of its window; while it is not over also when that opens, and w: its tasks are
-- still being loaded, or l: they are there. Status: s its window is not open yet, o open, p paused, e over (also before
-- the window's end was noticed), c cancelled, nil unknown.
local function batch_status(batch)
  if batches[batch] == nil then
    local record = call('HGET', BATCHES, batch)
    if not record then
      batches[batch] = false
    else
      local status = sub(record, 1, 1)
      if (status == 'o' or status == 'p') and sub(record, 2, 17) + 0 <= due then status = 'e' end
      if status == 'o' and (tonumber(sub(record, 18, 33)) or 0) > now then status = 's' end
      batches[batch] = status
    end
  end
  return batches[batch] or nil
end

-- Keeps the windows whose tasks are not there yet: begin and end of each, 16 digits.
local function keep_loading()
  local windows, flat = {}, call('HGETALL', BATCHES)
  for i = 2, #flat, 2 do
    local status, ends, opens, waits = string.match(flat[i], '^(%a)(%d+)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%a)$')
    if status == 'o' and waits == 'w' then windows[#windows + 1] = opens .. ends end
  end
  call('HSET', GATE, 'loading', table.concat(windows))
end

-- Whether a window is open whose tasks are not there yet: then a device without a task may still get one.
local function loading()
  for opens, ends in string.gmatch(head[8] or '', '(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)') do
    if opens + 0 <= now and ends + 0 > now then return true end
  end
  return false
end

local function drop_from_device(device, task)
  local kept = {}
  for id in string.gmatch(call('HGET', DEVICES, device) or '', '%S+') do
    if id ~= task then kept[#kept + 1] = id end
  end
  if #kept == 0 then call('HDEL', DEVICES, device) else call('HSET', DEVICES, device, table.concat(kept, ' ')) end
  return #kept
end

local function last_token(t) return string.match(t.tokens, '(%d+)L?$') or '' end

-- mark: n = nobody told a result, so that one that comes later is late and no repeat
local function end_task(t, state, mark)
  t.state, t.payload = state, mark or ''
  write_task(t)
  drop_from_device(t.device, t.id)
end

-- The attempt ended without a result: another one, or none.
local function return_task(t)
  if t.state ~= 'r' then return end
  local status = batch_status(t.batch)
  if t.attempt >= sub(conf, 31, 32) + 0 or (status ~= 's' and status ~= 'o' and status ~= 'p') then
    log('failed', '@' .. t.device, last_token(t), '', t.id, t.attempt, t.batch, 'no result')
    add('failed')
    end_task(t, 'f', 'n')
  else
    t.state, t.attempt = 'p', t.attempt + 1
    write_task(t)
    log('returned', '@' .. t.device, last_token(t), '', t.id, t.attempt, t.batch)
    add('returned')
  end
end

-- Takes a permit away; whether its slot is free then depends on what is known of its holder.
local function drop_permit(who, held)
  call('ZREM', PERMITS, who)
  call('HDEL', GATE, '=' .. who)
  if sub(who, 1, 1) == '#' then call('ZREM', ANON, who) end
  local ghost = sub(held, 49, 49) == 'u' and sub(conf, 1, 1) == 'r'
  if ghost then call('HINCRBY', GATE, 'ghosts', 1) end
  if used_now and not ghost and sub(held, 17, 32) + 0 > due then used_now = used_now - 1 end
end

local function task_of(held) return string.match(held, '^u?(%d+)$', 49) end

-- event: expired, freed. The task, if there is one, goes back.
local function end_permit(who, held, event, reason)
  local task = task_of(held)
  drop_permit(who, held)
  local t = task and read_task(task)
  log(event, who, sub(held, 1, 16), sub(held, 17, 32), task, t and t.attempt, t and t.batch, reason)
  add(event)
  if t then return_task(t) end
end

local function learn_hold(held)
  --@include learn
end

local function finish()
  for counter, n in pairs(added) do call('HINCRBY', GATE, counter, n) end
  if seq > first_seq then
    call('HSET', GATE, 'seq', fmt('%d', seq), 'clock', at, 'hold', fmt('%d', hold))
  end
  --@include keep_time
end
