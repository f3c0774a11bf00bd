--[[ admission/look
Purpose: Reads a part of a gate's holders or of its line, for pages.
KEYS as admission/show
ARGV[1] what             holders (soonest deadline first), line (first in the line first), one
ARGV[2] where            from 0; or what stands after "<deadline or arrival> <name>"; one: the holder
ARGV[3] count            1 to 1 000
Reply: as_of, total, then for holders: holder, token, deadline, granted, task, weight; for the line: who,
  arrived, last asked, weight; one: the holder's six words or none
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n + count), and those of the same µs after a name
Version: 1
]]
local MOST = 1000
local what, count = ARGV[1], whole(ARGV[3], 1, MOST)
if not count then return checks.refusal('malformed count') end
local offset = whole(ARGV[2], 0, math.huge)
local score, name = string.match(ARGV[2] or '', '^(%d+) (.+)$')
local is_placed = offset or (score and checks.is_token(score))
if what ~= 'one' and not is_placed then return checks.refusal('malformed offset') end
if what ~= 'one' and what ~= 'holders' and what ~= 'line' then return checks.refusal('malformed what') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local reply = { gate.at, '1' }
local function tell(...)
  for _, word in ipairs({ ... }) do reply[#reply + 1] = word end
end
local function tell_permit(holder)
  local permit = permits.of(holder)
  if not permit then return end
  local weight = string.format('%d', permit.weight)
  tell(holder, permit.token, permit.deadline, permit.granted, permit.task or '', weight)
end
local function tell_waiting(who)
  local arrived = redis.call('ZSCORE', gate.tag .. ':line', who)
  local asked = redis.call('ZSCORE', gate.tag .. ':seen', who) or 0
  tell(who, string.format('%d', arrived), string.format('%d', asked), string.format('%d', line.weight_of(who)))
end

if what == 'one' then
  tell_permit(ARGV[2] or '')
  return reply
end
local source = gate.tag .. (what == 'line' and ':line' or ':permits')
if not offset then
  offset = redis.call('ZCOUNT', source, '-inf', '(' .. score)
  for _, who in ipairs(redis.call('ZRANGEBYSCORE', source, score, score)) do
    if who <= name then offset = offset + 1 end
  end
end
reply[2] = string.format('%d', redis.call('ZCARD', source))
for _, who in ipairs(redis.call('ZRANGE', source, offset, offset + count - 1)) do
  if what == 'line' then tell_waiting(who) else tell_permit(who) end
end
return reply
