--[[ billing/balance
Purpose: Reads a wallet's figures and counts at one moment.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:parked      ZSET    as billing/hold
KEYS[5] {acct}:unpaid      ZSET    as billing/session
KEYS[6] {acct}:finals      LIST    as billing/pay_unpaid
KEYS[7] {acct}:operations  HASH    as billing/pay_unpaid
Reply: pairs: conf generation seq drained bal pend held receivable spent batch batch_first batch_last
  batch_amount reason credit grants as_of open parked unpaid messages finals operations due_at
Errors: -1 "no such wallet", "script outdated …"
Complexity: O(1)
Version: 1
]]
local NAMES = { 'conf', 'generation', 'seq', 'drained', 'bal', 'pend', 'held', 'receivable', 'spent', 'batch',
  'batch_first', 'batch_last', 'batch_amount', 'reason' }
local refusal, last = wallet.look(KEYS[1], 'clock')
if refusal then return refusal end

local tag, reply = wallet.tag, {}
local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = value
end
local values = redis.call('HMGET', tag, unpack(NAMES))
for place, name in ipairs(NAMES) do tell(name, values[place] or '') end
local credit, granted = unpack(redis.call('HMGET', tag, 'credit', 'grants')) -- data of a former release has none
tell('credit', credit or '0')
tell('grants', granted or '')
tell('as_of', string.format('%d', now_us(last)))
tell('open', string.format('%d', redis.call('ZCARD', tag .. ':deadlines')))
tell('parked', string.format('%d', redis.call('ZCARD', tag .. ':parked')))
tell('unpaid', string.format('%d', redis.call('ZCARD', tag .. ':unpaid')))
tell('messages', string.format('%d', redis.call('HLEN', tag .. ':messages')))
tell('finals', string.format('%d', redis.call('LLEN', tag .. ':finals')))
tell('operations', string.format('%d', redis.call('HLEN', tag .. ':operations')))
local first_due = redis.call('ZRANGE', tag .. ':deadlines', 0, 0, 'WITHSCORES')[2]
tell('due_at', first_due and string.format('%d', first_due) or '')
return reply
