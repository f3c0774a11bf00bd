--[[ billing/allow
Purpose: Limits how many messages one chatbot may hold in a second, across all servers. The limit is also the largest
  burst after a second without messages.
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
local MOST, NAME_BYTES, SECOND_US = 1000000, 40, 1000000
local ROUNDING = 0.000001
local chatbot, rate, count = ARGV[1] or '', whole(ARGV[2], 1, MOST), whole(ARGV[3], 1, MOST)
local is_name = chatbot ~= '' and #chatbot <= NAME_BYTES and not string.find(chatbot, '[^%l%d-]')
if not is_name or not rate or not count then return checks.refusal('malformed allow') end
local refusal, last = wallet.look(KEYS[1], 'clock')
if refusal then return refusal end

local rates = wallet.tag .. ':rates'
local now, step = now_us(last), SECOND_US / rate
local used = (redis.call('HGET', rates, chatbot) or 0) + 0
-- Neither more than the last second's rest, nor bound by a time that lies ahead of a clock put back.
if math.abs(now - used) > SECOND_US then used = now - SECOND_US end
local allowed = math.min(count, math.floor((now - used) / step + ROUNDING))
if allowed > 0 then
  redis.call('HSET', rates, chatbot, string.format('%d', math.ceil(used + allowed * step)))
end
return { '1', string.format('%d', allowed) }
