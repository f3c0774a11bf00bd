--[[ billing/session
Purpose: Charges one session message: hold and settlement in one step. Too low a balance keeps it
  unpaid until billing/pay_unpaid or 72 h. The uplink's message id is the operation id.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:unpaid     ZSET    unpaid session messages by the µs at which they came
KEYS[6] {acct}:parked     ZSET    as billing/hold
ARGV[1] id                message id
ARGV[2] price             units
ARGV[3] facts             "hash TAB tariff TAB chatbot"
ARGV[4] prices            ",mode=price"
Reply: as billing/hold; answer settled or unpaid
Errors: -1 "no such wallet", "script outdated …", "malformed session"
Complexity: O(log n); where money is short, up to 500 holds that are due besides
Version: 1
]]
--@include open
local id, quoted, facts, prices = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local mode, price = match(prices, '^,([%l%d_]+)=(%d+)$')
if id == '' or #id > 80 or find(id, '[^!-~]') or not mode or price ~= quoted or #quoted > 16
  or quoted + 0 >= 9007199254740992 or not find(facts, '^[%w_-]*\t%d*\t[%l%d-]*$') then
  return { '-1', 'malformed session' }
end
local st = call('HGET', MESSAGES, id)
local answer, letter, charged, flag = nil, '', '0', ''
local amount, status, limit = quoted + 0, sub(conf, 1, 1), sub(conf, 2, 17) + 0
if status == 'o' and (amount > bal or limit > 0 and spent + amount > limit) and not (st and sub(st, 1, 1) ~= 'p') then
  --@include end_due_now
end
if st and sub(st, 1, 1) ~= 'p' then
  local first, outcome, known = match(st, '^(%d+)|([^|]*)|([^\t]*)\t', 24)
  letter, quoted = sub(st, 1, 1), first
  answer = known == match(facts, '^[^\t]*') and 'repeat' or 'conflict'
  flag, charged = answer, (letter == 'h' or letter == 's') and first or match(outcome, '^[^!]*=(%d+)') or '0'
elseif status ~= 'o' then answer = status == 'f' and 'frozen' or status == 'c' and 'closed' or 'safe mode'
elseif seq - acct[9] >= sub(conf, 18, 27) + 0 then answer = 'backlog full'
elseif limit > 0 and amount <= bal and spent + amount > limit then answer = 'daily limit'
else
  seq = seq + 1
  local day = sub(conf, 72, 76)
  local first_words = 'session\t' .. id .. '\t'
  if st then call('ZREM', KEYS[6] or ACCT .. ':parked', id) end
  if amount <= bal then
    answer, letter, charged = 'settled', 't', quoted
    bal, spent = bal - amount, spent + amount
    call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', first_words .. '-' .. quoted .. '\t0\tt\ts\t' .. quoted .. '\t'
      .. facts .. '\t' .. mode .. '\t' .. quoted)
    st = 'ts' .. day .. at .. quoted .. '|' .. mode .. '=' .. quoted .. '|' .. facts .. '|' .. prices
  else
    answer, letter, flag = 'unpaid', 'u', 'unpaid'
    call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', first_words .. '0\t0\tu\ts\t' .. quoted .. '\t' .. facts
      .. '\t' .. mode .. '\t0\tunpaid\t' .. mode .. '\t0')
    st = 'us' .. day .. at .. quoted .. '|!unpai:' .. mode .. '|' .. facts .. '|' .. prices
    call('ZADD', KEYS[5] or ACCT .. ':unpaid', at, id)
  end
  call('HSET', MESSAGES, id, st)
end
if answer and letter == '' and st then letter, quoted = 'p', '0' end
--@include close
return { '1', fmt('%d', bal), fmt('%d', seq), answer, letter, charged, quoted, flag }
