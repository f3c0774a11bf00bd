--[[ admission/observe
Purpose: The external system reports how many clients it is serving, by its own count. More than the cap is an overrun.
  It may also report its errors and its latency, for the adaptive cap.
KEYS as admission/show
ARGV[1] count            clients at once
ARGV[2] good             served since its last report; left out if unknown
ARGV[3] bad              failed since
ARGV[4] took_ms          mean latency since
Reply: [1, the cap, permits in use, over | ""]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local count, good, bad, took_ms = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local digits = checks.COUNT_DIGITS
if not is_digits(count, digits) or not checks.is_number_or_none(good, digits)
  or not checks.is_number_or_none(bad, digits) or not checks.is_number_or_none(took_ms, digits) then
  return checks.refusal('malformed count')
end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local used = permits.used()
local most = math.max(gate.conf.cap, used)
local is_over = count + 0 > most
gate.set('told', count)
gate.set('told_at', gate.at)
if is_over then
  gate.log_of('overrun', '', 'external count', count .. ' ' .. string.format('%d', most))
  gate.count('overrun')
end
if gate.conf.adaptive then
  if good ~= '' then gate.count('win_ok', good + 0) end
  if bad ~= '' then gate.count('win_bad', bad + 0) end
  if took_ms ~= '' then
    gate.count('win_took', took_ms + 0)
    gate.count('win_timed')
  end
end
gate.close()
return { '1', string.format('%d', gate.conf.cap), string.format('%d', used), is_over and 'over' or '' }
