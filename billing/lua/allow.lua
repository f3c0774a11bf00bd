--[[ billing/allow
Purpose: Lets one chatbot hold so many messages a second at most, whatever server is asked; what was
  not used in the last second may come at once.
KEYS[1] {acct}        HASH  as billing/hold
KEYS[2] {acct}:rates  HASH  chatbot → the µs up to which its rate is used
ARGV[1] chatbot
ARGV[2] rate                messages per second, from 1
ARGV[3] count               how many are wanted, from 1
Reply: [1, how many are allowed now]
Errors: -1 "no such wallet", "script outdated …", "malformed allow"
Complexity: O(1)
Version: 1
]]
local call = redis.call
local RATES = KEYS[2] or KEYS[1] .. ':rates'
local chatbot, rate, count = ARGV[1] or '', tonumber(ARGV[2]), tonumber(ARGV[3])
if chatbot == '' or #chatbot > 40 or string.find(chatbot, '[^%l%d-]') or not rate or rate < 1 or rate > 1000000
  or rate % 1 ~= 0 or not count or count < 1 or count > 1000000 or count % 1 ~= 0 then
  return { '-1', 'malformed allow' }
end
local acct = call('HMGET', KEYS[1], 'clock', 'script_version', 'script_sha')
if not acct[1] then return { '-1', 'no such wallet' } end
if acct[2] - VERSION > 1 then return { '-1', outdated(acct[2], acct[3]) } end
local now = now_us(acct[1])
local step = 1000000 / rate
local used = tonumber(call('HGET', RATES, chatbot) or '0')
-- Neither more than the last second's rest, nor bound by a time that lies ahead of a clock put back.
if used < now - 1000000 or used > now + 1000000 then used = now - 1000000 end
local allowed = math.min(count, math.floor((now - used) / step + 0.000001))
if allowed > 0 then call('HSET', RATES, chatbot, string.format('%.0f', math.ceil(used + allowed * step))) end
return { '1', int(allowed) }
