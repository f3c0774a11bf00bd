-- Holds: the highest price of a message is locked until the message ends.
local holds = {}

holds.ENDED_AT_ONCE = 500
holds.SHUT = { frozen = 'frozen', closed = 'closed', recovering = 'safe mode' }

function holds.are_open()
  return redis.call('ZCARD', wallet.tag .. ':deadlines') > 0
end

-- By the keyword of a request.
holds.STATE = { hm = 'held', hc = 'held', sm = 'sent', sc = 'sent' }
holds.KIND = { hm = 'message', hc = 'call', sm = 'message', sc = 'call' }

-- Whether this many more units exceed the day's limit.
function holds.is_over_limit(amount)
  local limit = wallet.conf.daily_limit
  return limit > 0 and wallet.spent + amount > limit
end

-- Whether this many units exceed the available balance or the day's limit.
function holds.is_short(amount)
  return amount > wallet.spendable() or holds.is_over_limit(amount)
end

-- Ends expired holds, because their money may be what is missing. Does so once in an operation, for a limited number of
-- holds.
function holds.make_room()
  if wallet.has_looked or wallet.conf.status ~= 'open' then return end
  wallet.has_looked = true
  endings.end_due(holds.ENDED_AT_ONCE)
end

-- Why this many units can't be held or charged, or nil.
function holds.refusal(amount)
  local conf = wallet.conf
  if conf.status ~= 'open' then return holds.SHUT[conf.status] end
  if wallet.seq - wallet.drained >= conf.log_limit then return 'backlog full' end
  if amount > wallet.spendable() then return 'insufficient balance' end
  if holds.is_over_limit(amount) then return 'daily limit' end
end

-- Holds the requested message. Returns the answer, the message in its current state, and the flag.
function holds.take(asked)
  local there = endings.current(asked.id)
  if there and there.state ~= 'parked' then
    local answer = messages.body_hash(there) == messages.body_hash(asked) and 'repeat' or 'conflict'
    return answer, there, answer
  end
  local amount = asked.quoted + 0
  if holds.is_short(amount) then holds.make_room() end
  local refusal = holds.refusal(amount)
  if refusal then return refusal, there or holds.none(asked), holds.flag_of_refusal(refusal, asked, there) end
  holds.charge(asked, amount)
  wallet.known[asked.id] = asked
  if there then return parked.settle(there, asked) end
  messages.write(asked)
  messages.begin_waiting(asked)
  return 'held', asked, ''
end

function holds.charge(message, amount)
  wallet.balance, wallet.held, wallet.spent = wallet.balance - amount, wallet.held + amount, wallet.spent + amount
  if wallet.grants then message.grants = grants.take(amount) end
  holds.log(message)
end

function holds.log(message)
  messages.log('hold', message, '-' .. message.quoted, message.quoted, '\t\t0\t\t\t0\t0\t', message.prices)
end

-- The message that was not held, for the reply.
function holds.none(asked)
  asked.state = ''
  return asked
end

function holds.flag_of_refusal(refusal, asked, there)
  if refusal ~= 'insufficient balance' then return '' end
  if not there or there.outcome == reports.FAILED then return 'refused' end
  parked.list_unpaid(there, asked)
  return 'unpaid'
end

-- Ends a hold. `back` of it becomes available again.
function holds.release(message, back)
  wallet.balance, wallet.held = wallet.balance + back, wallet.held - message.quoted
  if message.day == wallet.conf.day then wallet.spent = wallet.spent - back end
  if message.grants then grants.give_back(message, back) end
end

-- Marks a held message as sent.
function holds.mark_sent(message)
  messages.become(message, 'sent')
  messages.begin_waiting(message)
  messages.log('sent', message, '0', '0', '')
end

-- Cancels a held or unpaid message. An unpaid one holds no money.
function holds.cancel(message)
  local back = '0'
  if message.state == 'unpaid' then
    redis.call('ZREM', wallet.tag .. ':unpaid', message.id)
  else
    back = message.quoted
    holds.release(message, back)
    messages.drop_deadline(message)
  end
  messages.become(message, 'cancelled')
  messages.log('cancel', message, back, '-' .. back, '')
end
