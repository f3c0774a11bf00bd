--[[ admission/load
Purpose: Makes tasks of a batch available to devices. Tasks that exist don't change.
KEYS as admission/show
ARGV[1] batch            must be open or paused
ARGV[2+] rows            for each: task, device, payload (no control characters but none at all), attempt,
  token ("" = never issued), running 1|0 (after a loss: its permit counts until the gate opens); 500 at most
Reply: [1, tasks put in, tasks refused because the device has 100, ""]
Errors: -1 "malformed …", "no such batch", "over", "no such gate", "script outdated …"
Complexity: O(rows × log n)
Version: 1
]]
local WORDS, MOST_ROWS, MOST_OF_DEVICE = 6, 500, 100
local batch = ARGV[1] or ''
local rows = {}
for first = 2, #ARGV, WORDS do
  local id, device, payload, attempt, token, running = unpack(ARGV, first, first + WORDS - 1)
  rows[#rows + 1] = {
    id = id,
    device = device,
    payload = payload,
    attempt = attempt,
    token = token,
    was_running = running == '1',
    flag = running,
  }
end
if #rows == 0 or #rows > MOST_ROWS or #ARGV ~= #rows * WORDS + 1 then return checks.refusal('malformed rows') end
for _, row in ipairs(rows) do
  local is_right = is_digits(row.id, checks.TASK_DIGITS) and checks.is_device(row.device)
    and is_text(row.payload, checks.TEXT_BYTES) and string.find(row.attempt, '^%d%d?$')
    and checks.is_token_or_none(row.token) and is_flag(row.flag)
    and (row.token ~= '' or not row.was_running)
  if not is_right then return { '-1', row.id, '', 'malformed rows' } end
end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end
if not batches.status(batch) then return checks.refusal('no such batch') end
if not batches.goes_on(batch) then -- only what runs still counts then
  for _, row in ipairs(rows) do
    if not row.was_running then return { '-1', row.id, '', 'over' } end
  end
end

-- After a loss: the permit of a device that ran the task counts until the gate opens.
local function take_over(task)
  local holder = '@' .. task.device
  local open_at = gate.conf.status == 'recovering' and gate.field('open_at')
  if not open_at or permits.of(holder) then return end
  task.state, task.issued = 'running', gate.at
  local permit = {
    token = task.tokens,
    deadline = open_at,
    granted = gate.at,
    task = task.id,
    unseen = true,
    weight = 1,
  }
  gate.set_number('ghosts', math.max(0, permits.ghosts() - 1))
  permits.add(holder, permit)
end

-- true, or false when the device has as many tasks as it may have; nil: the task is there already.
local function put(row)
  if redis.call('HEXISTS', gate.tag .. ':tasks', row.id) == 1 then return nil end
  local listed = tasks.list_of(row.device)
  if listed and select(2, string.gsub(listed, '%S+', '')) >= MOST_OF_DEVICE then return false end
  local task = {
    id = row.id,
    state = 'pending',
    attempt = row.attempt + 0,
    tokens = row.token,
    issued = '',
    batch = batch,
    device = row.device,
    payload = row.payload,
  }
  if row.was_running then take_over(task) end
  redis.call('HSET', gate.tag .. ':devices', row.device, listed and listed .. ' ' .. row.id or row.id)
  tasks.write(task)
  return true
end

local done, refused = 0, 0
for _, row in ipairs(rows) do
  local is_put = put(row)
  if is_put then done = done + 1 end
  if is_put == false then refused = refused + 1 end
end
if done > 0 then gate.log_of('loaded', batch, '', string.format('%d', done)) end
gate.close()
tell_timers(gate.tag)
return { '1', string.format('%d', done), string.format('%d', refused), '' }
