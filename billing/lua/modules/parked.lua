-- Parked reports: final ones that came before their hold. They wait as a message of state parked, whose outcome is the
-- report's word, and in {acct}:parked by the µs after which nobody owns them: they are orphans then.
local parked = {}

parked.NO_DAY = '00000'
parked.NO_FACTS = '\t\t'

-- Keeps a report for a message that is not known. Returns the answer, the message, the flag.
function parked.keep(id, word)
  -- In safe mode the message may only not be loaded yet: its report is to be sent again.
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

-- The hold has come, and its report was there before: the hold ends at once. Returns as holds.take.
function parked.settle(there, asked)
  local flag = reports.settle(asked, reports.mode(there.outcome))
  redis.call('ZREM', wallet.tag .. ':parked', asked.id)
  return asked.state, asked, flag
end

-- It was delivered, and nobody pays: listed once, priced by the quote that was refused.
function parked.list_unpaid(there, asked)
  if string.find(there.listed, '!unpai:', 1, true) then return end
  local mode = reports.mode(there.outcome)
  local worth = tariff.price(asked, mode) or asked.quoted
  local told = { id = asked.id, state = 'parked', kind = asked.kind, quoted = '0', facts = asked.facts }
  messages.log('flag', told, '0', '0', '\t\t0\tunpaid\t' .. mode .. '\t' .. worth)
  there.listed = there.listed .. '!unpai:' .. mode
  messages.write(there)
end

-- Ends reports that are past their time, so many at most; returns how many.
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
