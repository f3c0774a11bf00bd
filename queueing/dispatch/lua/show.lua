--[[ dispatch/show
Purpose: Reads a group's figures.
KEYS as dispatch/start
Reply: [1, then pairs: name, value]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(1)
Version: 1
]]
local NAMES = { 'drained', 'dropped', 'started', 'ended', 'refused', 'messages', 'delivered', 'cleared', 'expired',
  'restored', 'freed', 'retried', 'ejections', 'ejected' }
local refusal = group.open(KEYS[1])
if refusal then return refusal end

local reply = { '1', 'as_of', group.at, 'conf', group.conf.text, 'generation', group.field('generation') }
local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = value
end
tell('seq', string.format('%d', group.seq))
tell('opens_at', group.opens_at or '')
tell('active', string.format('%d', redis.call('ZCARD', group.tag .. ':beats')))
tell('pending', string.format('%d', redis.call('ZCARD', group.tag .. ':gone')))
tell('ready', string.format('%d', redis.call('ZCARD', group.tag .. ':ready')))
tell('names', string.format('%d', redis.call('HLEN', group.tag .. ':names')))
tell('sessions', string.format('%d', redis.call('HLEN', group.tag .. ':routes')))
tell('clearing', string.format('%d', redis.call('ZCARD', group.tag .. ':clear')))
local values = redis.call('HMGET', group.tag, unpack(NAMES))
for place, name in ipairs(NAMES) do tell(name, values[place] or '0') end
return reply
