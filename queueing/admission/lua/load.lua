--[[ admission/load
Purpose: Puts tasks of a batch before the devices; those that are there stay as they are.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
KEYS[8] {gate}:devices   HASH    device → its tasks that have not ended, in their order
KEYS[9] {gate}:work      ZSET    task by batch × 8 + state
KEYS[10] {gate}:batches  HASH    batch → status, end of its window, µs, when it was closed
KEYS[11] {gate}:log      STREAM  history
ARGV[1] batch            must be open or paused
ARGV[2+] rows            for each: task, device, payload (no control characters but none at all), attempt,
  token ("" = never issued), running 1|0 (after a loss: its permit counts until the gate opens); 500 at most
Reply: [1, tasks put in, tasks refused because the device has 100, ""]
Errors: -1 "malformed …", "no such batch", "over", "no such gate", "script outdated …"
Complexity: O(rows × log n)
Version: 1
]]
--@include head
local batch = ARGV[1] or ''
if (#ARGV - 1) % 6 ~= 0 or #ARGV < 7 or #ARGV > 3001 then return { '-1', '', '', 'malformed rows' } end
for i = 2, #ARGV, 6 do
  local task, device, attempt, token, running = ARGV[i], ARGV[i + 1], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  if not find(task, '^%d+$') or #task > 15 or #device > 63 or not find(device, '^%w[%w._:-]*$')
    or find(ARGV[i + 2], '%c') or #ARGV[i + 2] > 8192 or not find(attempt, '^%d%d?$')
    or (token ~= '' and (#token ~= 16 or find(token, '%D'))) or (running ~= '0' and running ~= '1')
    or (running == '1' and token == '') then
    return { '-1', task, '', 'malformed rows' }
  end
end
--@include machinery
local status = batch_status(batch)
if not status then return { '-1', '', '', 'no such batch' } end
if status ~= 's' and status ~= 'o' and status ~= 'p' then -- only what runs still counts then
  for i = 2, #ARGV, 6 do
    if ARGV[i + 5] ~= '1' then return { '-1', ARGV[i], '', 'over' } end
  end
end
local put, refused = 0, 0
for i = 2, #ARGV, 6 do
  local task, device, token = ARGV[i], ARGV[i + 1], ARGV[i + 4]
  local list = call('HGET', DEVICES, device)
  if call('HEXISTS', TASKS, task) == 1 then
    put = put -- there already: a second load, or a task that has ended since
  elseif list and select(2, string.gsub(list, '%S+', '')) >= 100 then
    refused = refused + 1
  else
    put = put + 1
    local t = { id = task, state = 'p', attempt = ARGV[i + 3] + 0, tokens = token, issued = '', batch = batch,
      device = device, payload = ARGV[i + 2] }
    local open_at = ARGV[i + 5] == '1' and sub(conf, 1, 1) == 'r' and call('HGET', GATE, 'open_at')
    if open_at and call('HEXISTS', GATE, '=@' .. device) == 0 then
      t.state, t.issued = 'r', at
      local ghosts = (call('HGET', GATE, 'ghosts') or sub(conf, 6, 12)) + 0
      if ghosts > 0 then call('HSET', GATE, 'ghosts', fmt('%d', ghosts - 1)) end
      call('ZADD', PERMITS, open_at, '@' .. device)
      call('HSET', GATE, '=@' .. device, token .. open_at .. at .. 'u' .. task)
    end
    call('HSET', DEVICES, device, list and list .. ' ' .. task or task)
    write_task(t)
  end
end
if put > 0 then log('loaded', '', '', '', '', '', batch, '', fmt('%d', put)) end
finish()
redis.pcall('PUBLISH', 'timers:new', GATE)
--@include wake
return { '1', fmt('%d', put), fmt('%d', refused), '' }
