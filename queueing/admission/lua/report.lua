--[[ admission/report
Purpose: Reports of devices, each: take the results, renew, then fetch. A device without a task
  touches nothing.
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
ARGV[1+] reports         for each: how many words follow; device, renew (a token or ""), then for
  each result task, token, ok 1|0, took_ms or "", data (JSON without control characters, or "")
Reply: for each report: how many words follow; task | none | wait, task, payload, token, until (µs), attempt,
  ask again in s, place, estimate in s, reason; then for each result task and accepted | repeat |
  late | unknown task | unknown token; last the gate's time in µs
Errors: -1 "malformed …", "no such gate", "script outdated …"; then nothing was taken
Complexity: O((reports + results) × log n)
Version: 1
]]
--@include head
local reports, i = {}, 1
while i <= #ARGV do
  local count = tonumber(ARGV[i])
  if not count or count < 2 or (count - 2) % 5 ~= 0 or count > 162 or i + count > #ARGV then
    return { '-1', '', '', 'malformed report' }
  end
  local device, renew = ARGV[i + 1], ARGV[i + 2]
  if #device > 63 or not find(device, '^%w[%w._:-]*$') then return { '-1', '', '', 'malformed device' } end
  if renew ~= '' and (#renew ~= 16 or find(renew, '%D')) then return { '-1', '', '', 'malformed renew' } end
  for j = i + 3, i + count, 5 do
    local task, token, ok, took, data = ARGV[j], ARGV[j + 1], ARGV[j + 2], ARGV[j + 3], ARGV[j + 4]
    if not find(task, '^%d+$') or #task > 15 or not find(token, '^%d+$') or #token ~= 16
      or (ok ~= '0' and ok ~= '1') or not find(took, '^%d*$') or #took > 9 or #data > 8192 or find(data, '%c') then
      return { '-1', '', '', 'malformed result' }
    end
  end
  reports[#reports + 1] = i
  i = i + count + 1
end
if #reports == 0 or #reports > 32 then return { '-1', '', '', 'malformed reports' } end
--@include turn
--@include machinery
--@include results
--@include fetch
local reply = {}
for _, first in ipairs(reports) do
  local device, outcomes = ARGV[first + 1], {}
  for j = first + 3, first + ARGV[first], 5 do
    outcomes[#outcomes + 1] = ARGV[j]
    outcomes[#outcomes + 1] = take_result(device, ARGV[j], ARGV[j + 1], ARGV[j + 2], ARGV[j + 3], ARGV[j + 4])
  end
  local words = fetch(device, ARGV[first + 2])
  reply[#reply + 1] = fmt('%d', #words + #outcomes + 1)
  for _, word in ipairs(words) do reply[#reply + 1] = word end
  for _, word in ipairs(outcomes) do reply[#reply + 1] = word end
  reply[#reply + 1] = at
end
count_line()
finish()
--@include wake
return reply
