--[[ billing/balance
Purpose: A wallet's figures and counts at one moment.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:parked      ZSET    as billing/hold
KEYS[5] {acct}:unpaid      ZSET    as billing/session
KEYS[6] {acct}:finals      LIST    as billing/pay_unpaid
KEYS[7] {acct}:operations  HASH    as billing/pay_unpaid
Reply: pairs: conf generation seq drained bal pend held receivable spent batch batch_first batch_last
  batch_amount reason as_of open parked unpaid messages finals operations due_at
Errors: -1 "no such wallet", "script outdated …"
Complexity: O(1)
Version: 1
]]
--@include look
local call = redis.call
local names = { 'conf', 'generation', 'seq', 'drained', 'bal', 'pend', 'held', 'receivable', 'spent', 'batch',
  'batch_first', 'batch_last', 'batch_amount', 'reason', 'clock' }
local acct = call('HMGET', KEYS[1], unpack(names))
local reply = {}
for i = 1, #names - 1 do
  reply[2 * i - 1], reply[2 * i] = names[i], acct[i] or ''
end
local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = value
end
local first = call('ZRANGE', KEYS[3] or KEYS[1] .. ':deadlines', 0, 0, 'WITHSCORES')
tell('as_of', int(now_us(acct[#names])))
tell('open', int(call('ZCARD', KEYS[3] or KEYS[1] .. ':deadlines')))
tell('parked', int(call('ZCARD', KEYS[4] or KEYS[1] .. ':parked')))
tell('unpaid', int(call('ZCARD', KEYS[5] or KEYS[1] .. ':unpaid')))
tell('messages', int(call('HLEN', KEYS[2] or KEYS[1] .. ':messages')))
tell('finals', int(call('LLEN', KEYS[6] or KEYS[1] .. ':finals')))
tell('operations', int(call('HLEN', KEYS[7] or KEYS[1] .. ':operations')))
tell('due_at', first[2] and int(first[2]) or '')
return reply
