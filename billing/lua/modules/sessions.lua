-- Session messages: held and settled in one step. One that can't be paid is stored as unpaid, in {acct}:unpaid by the
-- µs at which it came, until billing/pay_unpaid pays it or it expires.
local sessions = {}

-- The only mode of a session message, and its price. Returns nil if there is not exactly one.
function sessions.price_of(prices)
  return string.match(prices, '^,([%l%d_]+)=(%d+)$')
end

-- The mode of a stored session message.
function sessions.mode(message)
  return string.match(message.prices, '^,([%l%d_]+)=')
end

-- Charges the message. The caller has checked that there is money. amount: its quote as a number.
function sessions.charge(message, mode, amount)
  wallet.balance, wallet.spent = wallet.balance - amount, wallet.spent + amount
  if wallet.grants then message.grants = grants.take(amount) end
  message.day = wallet.conf.day
  message.outcome = mode .. '=' .. message.quoted
  messages.become(message, 'settled')
  messages.log('session', message, '-' .. message.quoted, '0', '\t' .. mode .. '\t' .. message.quoted)
end

function sessions.keep_unpaid(message, mode)
  redis.call('ZADD', wallet.tag .. ':unpaid', wallet.at, message.id)
  message.listed = '!unpai:' .. mode
  messages.become(message, 'unpaid')
  messages.log('session', message, '0', '0', '\t' .. mode .. '\t0\tunpaid\t' .. mode .. '\t0')
end

-- Unpaid messages that came before this µs have expired.
function sessions.oldest_us()
  return wallet.now - wallet.conf.periods_us.report - wallet.lags.report
end

-- Whether the message is unpaid and has not expired.
function sessions.is_waiting(message)
  return message.state == 'unpaid' and message.since + 0 >= sessions.oldest_us()
end

-- Ends unpaid messages that have expired, this many or fewer. Returns how many.
function sessions.end_due(most)
  local before = string.format('(%d', sessions.oldest_us())
  local ids = redis.call('ZRANGEBYSCORE', wallet.tag .. ':unpaid', '-inf', before, 'LIMIT', 0, most)
  if #ids == 0 then return 0 end
  messages.read(ids)
  for _, id in ipairs(ids) do
    local message = wallet.known[id]
    if message then
      messages.become(message, 'expired')
      messages.log('expire', message, '0', '0', '\t\t0\t\tdeadline')
    end
  end
  redis.call('ZREM', wallet.tag .. ':unpaid', unpack(ids))
  return #ids
end
