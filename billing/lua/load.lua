--[[ billing/load
Purpose: Loads messages into a wallet in safe mode. Open holds that are in the books only count as held. Others are
  charged now, as far as balance and credit allow. What was held on this day counts as spent, so the daily limit
  continues.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
KEYS[7] {acct}:finals     LIST    as billing/pay_unpaid
ARGV[1+] rows             for each, at most 500: k (known to the books) or n (new), id, state as stored
Reply: [1, bal, seq, credit, held], then for each: loaded, repeat, insufficient balance
Errors: -1 "no such wallet", "script outdated …", "not in safe mode", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
local WORDS, MOST_ROWS = 3, 500
-- The day, the µs and the quote are digits in one: 5, 16, and 1 to 16 of them.
local RECORD, LEAST_DIGITS, MOST_DIGITS =
  '^[phstfecu][mcs](%d+)|[^%c|]*|[%w_-]*\t%d*\t[%l%d-]*|[%w_=,;-]*(|?[g%d=,]*)$', 22, 37

-- A row that begins at ARGV[first]: whether it is new, and its message; nil when it is malformed.
local function parse(first)
  local known, id, record = unpack(ARGV, first, first + WORDS - 1)
  local digits, granted = string.match(record, RECORD)
  if (known ~= 'k' and known ~= 'n') or not checks.is_id(id) or not digits or granted == '|' then return nil end
  if #digits < LEAST_DIGITS or #digits > MOST_DIGITS then return nil end
  local message = messages.parse(id, record)
  if known == 'n' and not messages.OPEN[message.state] then return nil end
  return { id = id, is_new = known == 'n', message = message }
end

local rows, ids = {}, {}
if #ARGV == 0 or #ARGV % WORDS ~= 0 or #ARGV > MOST_ROWS * WORDS then return checks.refusal('malformed rows') end
for first = 1, #ARGV, WORDS do
  local row = parse(first)
  if not row then return checks.refusal('malformed rows') end
  rows[#rows + 1], ids[#ids + 1] = row, row.id
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
if wallet.conf.status ~= 'recovering' then return checks.refusal('not in safe mode') end

-- What is held for it counts; a hold that the books do not know is charged now. Returns the answer.
local function load_hold(message, is_new)
  if is_new then
    if message.quoted + 0 > wallet.spendable() then return 'insufficient balance' end
    wallet.balance = wallet.balance - message.quoted
    if wallet.grants then message.grants = grants.take(message.quoted + 0) end
    holds.log(message)
  end
  wallet.held = wallet.held + message.quoted
  messages.set_deadline(message, string.format('%d', messages.ends(message)))
  return 'loaded'
end

-- What this day's holds have cost so far is spent: their returns are taken off it again.
local function count_spent(message)
  if message.day == wallet.conf.day then wallet.spent = wallet.spent + messages.charged(message) end
end

local final = {}
local function load_message(message, is_new)
  if wallet.known[message.id] then return 'repeat' end
  local answer = 'loaded'
  if messages.OPEN[message.state] then
    answer = load_hold(message, is_new)
  elseif message.state == 'parked' then
    parked.set_deadline(message)
  elseif message.state == 'unpaid' then
    redis.call('ZADD', wallet.tag .. ':unpaid', message.since, message.id)
  else
    final[#final + 1] = message.since .. finals.MESSAGE .. message.id
  end
  if answer == 'loaded' then
    wallet.known[message.id] = message
    count_spent(message)
    messages.write(message)
  end
  return answer
end

messages.read(ids)
local reply = { '1', '', '', '', '' }
for _, row in ipairs(rows) do reply[#reply + 1] = load_message(row.message, row.is_new) end
finals.add(final)
-- Holds that the books know change no balance: no entry, the figures are written all the same.
reply[5] = string.format('%d', wallet.held)
redis.call('HSET', wallet.tag, 'held', reply[5], 'spent', string.format('%d', wallet.spent))
return replies.close(reply)
