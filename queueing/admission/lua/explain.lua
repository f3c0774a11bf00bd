--[[ admission/explain
Purpose: Reads what decides whether a device gets a task now, for users who ask why it gets none. Writes nothing.
KEYS as admission/show
ARGV[1] device           its name
Reply: pairs: as_of status cap used; permit_task, token, deadline, when it has a permit that is not over;
  arrived, asked, when it stands in the line; why: "" = it would get a task now, else full turn rate paused recovering;
  place, estimate in s, again in s; then for each of its tasks that have not ended, in their order, "task" and its
  number, state, attempt, batch, the batch's status, the begin (0 = not told) and the end of its window, µs
Errors: -1 "malformed device", "no such gate", "script outdated …"
Complexity: O(log n), and the device's tasks, 100 at most
Version: 1
]]
local device = ARGV[1] or ''
if not checks.is_device(device) then return checks.refusal('malformed device') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local holder = '@' .. device
local reply = { 'as_of', gate.at, 'status', gate.conf.status }
local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = value
end
tell('cap', string.format('%d', gate.conf.cap))
tell('used', string.format('%d', permits.used()))
local permit = permits.of(holder)
if permit and not permits.is_over(permit) then
  tell('permit_task', permit.task)
  tell('token', permit.token)
  tell('deadline', permit.deadline)
end
if redis.call('ZSCORE', gate.tag .. ':line', holder) then
  tell('arrived', line.arrival_of(holder))
  tell('asked', string.format('%d', redis.call('ZSCORE', gate.tag .. ':seen', holder)))
end
local why, rank, kept = line.judge(holder, 1)
local place, estimate, again = line.prospect(rank, why or '', 1, kept)
tell('why', why or '')
tell('place', place)
tell('estimate', estimate)
tell('again', again)
for id in string.gmatch(tasks.list_of(device) or '', '%S+') do
  local task = tasks.read(id)
  local batch = batches.read(task.batch)
  local opens = batch and batch.opens ~= '' and batch.opens or '0'
  tell('task', table.concat({ id, task.state, string.format('%d', task.attempt), task.batch,
    batch and batches.status_of(batch) or 'gone', opens, batch and batch.ends or '0' }, ' '))
end
return reply
