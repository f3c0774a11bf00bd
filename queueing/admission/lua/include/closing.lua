-- The ends of batches: what was pending is closed, what has ended is forgotten an hour later.
local KEPT = 3600000000

local function close_pending(batch, reason, limit)
  local score = fmt('%d', batch * 8)
  local tasks = call('ZRANGEBYSCORE', WORK, score, score, 'LIMIT', 0, limit)
  for first = 1, #tasks, 100 do
    local part = {}
    for i = first, math.min(first + 99, #tasks) do
      part[#part + 1] = tasks[i]
      local t = read_task(tasks[i])
      end_task(t, 'x')
      if call('HEXISTS', DEVICES, t.device) == 0 then leave('@' .. t.device) end
    end
    log('closed', '', '', '', '', '', batch, reason, table.concat(part, ','))
  end
  add('closed', #tasks)
  return #tasks
end

local function forget_ended(batch, limit)
  local tasks = call('ZRANGEBYSCORE', WORK, fmt('%d', batch * 8 + 2), fmt('%d', batch * 8 + 7), 'LIMIT', 0, limit)
  for first = 1, #tasks, 500 do
    local part = { unpack(tasks, first, math.min(first + 499, #tasks)) }
    call('HDEL', TASKS, unpack(part))
    call('ZREM', WORK, unpack(part))
  end
  return #tasks
end

-- One bounded step for one batch; how much was done.
local function step(batch, record, limit)
  local status, ends, closed = sub(record, 1, 1), sub(record, 2, 17), sub(record, 18) -- e, c: when it was closed
  if (status == 'o' or status == 'p') and ends + 0 <= due then
    status, closed = 'e', ''
    call('HSET', BATCHES, batch, status .. ends)
    if #record == 34 then keep_loading() end
    log('ended', '', '', '', '', '', batch)
  end
  if status ~= 'e' and status ~= 'c' then return 0 end
  if closed ~= '' then
    if closed + KEPT > now then return 0 end
    local forgotten = forget_ended(batch, limit)
    if forgotten < limit then call('HDEL', BATCHES, batch) end
    return forgotten
  end
  local done = close_pending(batch, status == 'c' and 'cancelled' or 'window ended', limit)
  local running = fmt('%d', batch * 8 + 1)
  if done < limit and call('ZCOUNT', WORK, running, running) == 0 then
    call('HSET', BATCHES, batch, status .. ends .. at)
    log('finished', '', '', '', '', '', batch)
  end
  return done
end
