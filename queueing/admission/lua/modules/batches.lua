-- Batches of tasks. A record in {gate}:batches: letter of the status and the end of the window. Then, until the batch
-- is over, the beginning of the window (if it has one), followed by w (its tasks are still being loaded) or l (they are
-- loaded). After the batch is over: when it was closed, once it is.
local batches = {}

batches.LETTER = { open = 'o', paused = 'p', over = 'e', cancelled = 'c' }
batches.STATUS = { o = 'open', p = 'paused', e = 'over', c = 'cancelled' }
batches.RECORD = '^(%a)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d*)(%a?)$'
batches.WINDOW = '(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)'
batches.MOST = 1000
batches.KEPT_US = 3600000000 -- a closed batch is deleted an hour later
batches.LOGGED_AT_ONCE = 100 -- closed tasks in one history entry
batches.REMOVED_AT_ONCE = 500

-- status: as stored; ends, opens, closed: times as text, or ''; loading: w, l or ''.
function batches.parse(id, record)
  local letter, ends, other, loading = string.match(record, batches.RECORD)
  local is_closing = letter == 'e' or letter == 'c'
  return {
    id = id,
    status = batches.STATUS[letter],
    ends = ends,
    opens = is_closing and '' or other,
    closed = is_closing and other or '',
    loading = loading,
  }
end

function batches.write(batch)
  local record = batches.LETTER[batch.status] .. batch.ends .. batch.opens .. batch.closed .. batch.loading
  redis.call('HSET', gate.tag .. ':batches', batch.id, record)
  batches.known()[batch.id] = batch
end

-- The batches that this operation has read, by ID; false if the batch does not exist.
function batches.known()
  gate.batches = gate.batches or {}
  return gate.batches
end

-- The batch, or nil. It is read once in an operation.
function batches.read(id)
  local known = batches.known()
  local batch = known[id]
  if batch == nil then
    local record = redis.call('HGET', gate.tag .. ':batches', id)
    batch = record and batches.parse(id, record)
    known[id] = batch
  end
  return batch or nil
end

function batches.all()
  local all, flat = {}, redis.call('HGETALL', gate.tag .. ':batches')
  for place = 1, #flat, 2 do
    local batch = batches.parse(flat[place], flat[place + 1])
    batches.known()[batch.id] = batch
    all[#all + 1] = batch
  end
  return all
end

-- The current status: soon (its window is not open yet), open, paused, over (also if its end was not noticed yet) or
-- cancelled.
function batches.status_of(batch)
  local runs = batch.status == 'open' or batch.status == 'paused'
  if runs and batch.ends + 0 <= gate.due then return 'over' end
  if batch.status == 'open' and batch.opens ~= '' and batch.opens + 0 > gate.now then return 'soon' end
  return batch.status
end

-- The current status of the batch with this ID, or nil if it does not exist.
function batches.status(id)
  local batch = batches.read(id)
  return batch and batches.status_of(batch)
end

-- Whether its tasks get more attempts.
function batches.goes_on(id)
  local status = batches.status(id)
  return status == 'soon' or status == 'open' or status == 'paused'
end

-- Stores the windows whose tasks are not loaded yet: beginning and end of each, 16 digits.
function batches.keep_loading()
  local windows = {}
  for _, batch in ipairs(batches.all()) do
    if batch.status == 'open' and batch.loading == 'w' then windows[#windows + 1] = batch.opens .. batch.ends end
  end
  gate.set('loading', table.concat(windows))
end

-- Whether a window is open whose tasks are not loaded yet. A device without a task may still get one of them.
function batches.is_loading()
  for opens, ends in string.gmatch(gate.field('loading') or '', batches.WINDOW) do
    if opens + 0 <= gate.now and ends + 0 > gate.now then return true end
  end
  return false
end

-- Does a limited part of the work after a batch's end. Returns how much was done.
function batches.step(batch, limit)
  if batches.status_of(batch) == 'over' and batch.status ~= 'over' then batches.note_end(batch) end
  if batch.status ~= 'over' and batch.status ~= 'cancelled' then return 0 end
  if batch.closed ~= '' then
    if batch.closed + batches.KEPT_US > gate.now then return 0 end
    return batches.forget(batch, limit)
  end
  local done = batches.close_pending(batch, limit)
  local running = tasks.score(batch.id, 'running')
  if done < limit and redis.call('ZCOUNT', gate.tag .. ':work', running, running) == 0 then
    batch.closed = gate.at
    batches.write(batch)
    gate.log_of('finished', batch.id)
  end
  return done
end

-- Records that the window has ended.
function batches.note_end(batch)
  local had_begin = batch.opens ~= ''
  batch.status, batch.opens, batch.loading = 'over', '', ''
  batches.write(batch)
  if had_begin then batches.keep_loading() end
  gate.log_of('ended', batch.id)
end

-- Closes pending tasks, so that devices no longer wait for them.
function batches.close_pending(batch, limit)
  local score = tasks.score(batch.id, 'pending')
  local ids = redis.call('ZRANGEBYSCORE', gate.tag .. ':work', score, score, 'LIMIT', 0, limit)
  local reason = batch.status == 'cancelled' and 'cancelled' or 'window ended'
  for first = 1, #ids, batches.LOGGED_AT_ONCE do
    local part = { unpack(ids, first, math.min(first + batches.LOGGED_AT_ONCE - 1, #ids)) }
    for _, id in ipairs(part) do
      local task = tasks.read(id)
      tasks.finish(task, 'expired')
      if not tasks.list_of(task.device) then line.leave('@' .. task.device) end
    end
    gate.log_of('closed', batch.id, reason, table.concat(part, ','))
  end
  if #ids > 0 then gate.count('closed', #ids) end
  return #ids
end

-- Deletes tasks that ended long ago, and the batch with the last of them.
function batches.forget(batch, limit)
  local work = gate.tag .. ':work'
  local ids = redis.call('ZRANGEBYSCORE', work, tasks.score(batch.id, 'done'), tasks.score(batch.id, 'expired'),
    'LIMIT', 0, limit)
  for first = 1, #ids, batches.REMOVED_AT_ONCE do
    local part = { unpack(ids, first, math.min(first + batches.REMOVED_AT_ONCE - 1, #ids)) }
    redis.call('HDEL', gate.tag .. ':tasks', unpack(part))
    redis.call('ZREM', work, unpack(part))
  end
  if #ids < limit then redis.call('HDEL', gate.tag .. ':batches', batch.id) end
  return #ids
end
