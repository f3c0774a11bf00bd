-- Parked reports: final reports that came before their hold. Each is stored as a message in the state parked, with the
-- report as its outcome, and in {acct}:parked by the µs after which it is an orphan, because no hold came for it.
local parked = {}

parked.NO_DAY = '00000'
parked.NO_FACTS = '\t\t'

-- Stores a report for an unknown message. Returns the answer, the message and the flag.
function parked.keep(id, word)
  -- In safe mode, the message may not be loaded yet, so the gateway must send the report again.
  if wallet.conf.status == 'recovering' or parked.is_full() then return 'parked full', false, '' end
  local message = {
    id = id,
    state = 'parked',
    kind = 'message',
    day = parked.NO_DAY,
    since = wallet.at,
    quoted = '0',
    outcome = reports.plain(word),
    listed = '',
    facts = parked.NO_FACTS,
    prices = '',
  }
  wallet.known[id] = message
  messages.write(message)
  parked.set_deadline(message)
  messages.log('parked', message, '0', '0', '\t\t0\t\t' .. reports.title(word))
  return 'parked', message, 'early'
end

function parked.is_full()
  return redis.call('ZCARD', wallet.tag .. ':parked') >= wallet.conf.parked_limit
end

function parked.set_deadline(message)
  local ends = string.format('%d', message.since + wallet.conf.periods_us.report)
  redis.call('ZADD', wallet.tag .. ':parked', ends, message.id)
end

function parked.is_over(message)
  return wallet.now - message.since - wallet.lags.report > wallet.conf.periods_us.report
end

-- Ends a hold at once, because its report came before it. Returns the same as holds.take.
function parked.settle(there, asked)
  local flag = reports.settle(asked, reports.mode(there.outcome))
  redis.call('ZREM', wallet.tag .. ':parked', asked.id)
  return asked.state, asked, flag
end

-- The message was delivered, but no one pays for it. Lists it once, with the price of the quote that was refused.
function parked.list_unpaid(there, asked)
  if string.find(there.listed, '!unpai:', 1, true) then return end
  local mode = reports.mode(there.outcome)
  local worth = tariff.price(asked, mode) or asked.quoted
  local told = { id = asked.id, state = 'parked', kind = asked.kind, quoted = '0', facts = asked.facts }
  messages.log('flag', told, '0', '0', '\t\t0\tunpaid\t' .. mode .. '\t' .. worth)
  there.listed = there.listed .. '!unpai:' .. mode
  messages.write(there)
end

-- Ends reports whose time has passed, this many or fewer. Returns how many.
function parked.end_due(most)
  local until_us = string.format('(%d', wallet.now - wallet.lags.report)
  local ids = redis.call('ZRANGEBYSCORE', wallet.tag .. ':parked', '-inf', until_us, 'LIMIT', 0, most)
  if #ids == 0 then return 0 end
  messages.read(ids)
  for _, id in ipairs(ids) do parked.log_orphan(wallet.known[id] or { id = id, outcome = reports.FAILED }) end
  parked.forget(ids)
  return #ids
end

function parked.log_orphan(message)
  local told = { id = message.id, state = '', kind = 'message', quoted = '0', facts = parked.NO_FACTS }
  messages.log('flag', told, '0', '0', '\t\t0\torphan\t' .. reports.title(message.outcome) .. '\t0')
end

function parked.forget(ids)
  redis.call('HDEL', wallet.tag .. ':messages', unpack(ids))
  redis.call('ZREM', wallet.tag .. ':parked', unpack(ids))
  for _, id in ipairs(ids) do wallet.known[id] = false end
end
