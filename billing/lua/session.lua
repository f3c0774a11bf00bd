--[[ billing/session
Purpose: Charges one session message: hold and settlement in one step. If the balance is too low, the message stays
  unpaid for 72 h, until it is requested again and can be paid, or billing/pay_unpaid pays it. The uplink's message ID
  is the operation ID.
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
local id, quoted, facts, prices = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local mode, price = sessions.price_of(prices)
if not checks.is_id(id) or not mode or price ~= quoted or not checks.is_units(quoted)
  or not checks.is_facts(facts) then
  return checks.refusal('malformed session')
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

local asked = {
  id = id,
  state = '',
  kind = 'session',
  day = wallet.conf.day,
  since = wallet.at,
  quoted = quoted,
  outcome = '',
  listed = '',
  facts = facts,
  prices = prices,
}

-- Charges a message that is unpaid, at its first quote, if it can be paid by now. Returns the same as `charge`.
local function pay(there)
  local amount = there.quoted + 0
  if holds.is_short(amount) then holds.make_room() end
  if holds.refusal(amount) then return 'repeat', there, 'repeat' end
  redis.call('ZREM', wallet.tag .. ':unpaid', id)
  sessions.charge(there, sessions.mode(there), amount)
  return 'settled', there, ''
end

-- Charges it, or keeps it unpaid. Returns the answer, the message as it is now, and the flag.
local function charge(there)
  if there and there.state ~= 'parked' then
    if messages.body_hash(there) ~= messages.body_hash(asked) then return 'conflict', there, 'conflict' end
    if sessions.is_waiting(there) then return pay(there) end
    return 'repeat', there, 'repeat'
  end
  local amount = quoted + 0
  if holds.is_short(amount) then holds.make_room() end
  local reason = holds.refusal(amount)
  if reason and reason ~= 'insufficient balance' then return reason, there or asked, '' end
  if there then redis.call('ZREM', wallet.tag .. ':parked', id) end
  wallet.known[id] = asked
  if reason then
    sessions.keep_unpaid(asked, mode)
    return 'unpaid', asked, 'unpaid'
  end
  sessions.charge(asked, mode, amount)
  return 'settled', asked, ''
end

messages.read({ id })
local reply = replies.new()
replies.add(reply, charge(wallet.known[id]))
return replies.close(reply)
