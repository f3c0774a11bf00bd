--[[ admission/report
Purpose: Handles reports of devices. For each: takes the results, renews, then fetches. A device without a task changes
  nothing.
KEYS as admission/show
ARGV[1+] reports         for each: how many words follow; device, renew (a token or ""), then for
  each result task, token, ok 1|0, took_ms or "", data (JSON without control characters, or "")
Reply: for each report: how many words follow; task | none | wait, task, payload, token, until (µs), attempt,
  ask again in s, place, estimate in s, reason; then for each result task and accepted | repeat |
  late | unknown task | unknown token; last the gate's time in µs
Errors: -1 "malformed …", "no such gate", "script outdated …"; then nothing was taken
Complexity: O((reports + results) × log n)
Full server: runs
Version: 1
]]
local MOST_REPORTS, MOST_RESULTS, WORDS = 32, 32, 5

-- The report that begins at ARGV[first], and where the next one begins; nil and what is malformed.
local function parse(first)
  local count = whole(ARGV[first], 2, 2 + MOST_RESULTS * WORDS)
  if not count or (count - 2) % WORDS ~= 0 or first + count > #ARGV then return nil, 'malformed report' end
  local report = { device = ARGV[first + 1], renew = ARGV[first + 2], results = {} }
  if not checks.is_device(report.device) then return nil, 'malformed device' end
  if not checks.is_token_or_none(report.renew) then return nil, 'malformed renew' end
  for place = first + 3, first + count, WORDS do
    local task, token, ok, took_ms, data = unpack(ARGV, place, place + WORDS - 1)
    local is_right = is_digits(task, checks.TASK_DIGITS) and checks.is_token(token) and is_flag(ok)
      and checks.is_number_or_none(took_ms, checks.COUNT_DIGITS) and is_text(data, checks.TEXT_BYTES)
    if not is_right then return nil, 'malformed result' end
    report.results[#report.results + 1] = { task = task, token = token, ok = ok, took_ms = took_ms, data = data }
  end
  return report, first + count + 1
end

local reports, next_at = {}, 1
while next_at <= #ARGV do
  local report, after = parse(next_at)
  if not report then return checks.refusal(after) end
  reports[#reports + 1], next_at = report, after
end
if #reports == 0 or #reports > MOST_REPORTS then return checks.refusal('malformed reports') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local reply = {}
local function tell(words)
  for _, word in ipairs(words) do reply[#reply + 1] = word end
end
for _, report in ipairs(reports) do
  local outcomes = {}
  for _, result in ipairs(report.results) do
    outcomes[#outcomes + 1] = result.task
    outcomes[#outcomes + 1] = results.take(report.device, result)
  end
  local answer = devices.fetch(report.device, report.renew)
  tell({ string.format('%d', #answer + #outcomes + 1) })
  tell(answer)
  tell(outcomes)
  tell({ gate.at })
end
gate.close()
return reply
