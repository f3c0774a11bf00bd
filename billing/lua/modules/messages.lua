-- The record of one message in {acct}:messages: a letter for state and kind, the day of the hold, the µs at which the
-- state began, and the quote; then, separated by bars, the outcome and what was listed, the facts, and the prices. Here
-- it is a table of texts:
--   id
--   state     parked held sent settled failed expired cancelled unpaid, or '' if the message does not exist (any more)
--   kind      message call session
--   day       the number of the day of its hold
--   since     µs at which the state began
--   quoted    the highest price, in units
--   outcome   settled: "mode=price" that was charged; parked: the report that is waiting (reports.lua)
--   listed    "!<start of a flag>:<what was reported>" for each flag (flags.lua)
--   facts     body hash, tariff, chatbot, separated by tabs
--   prices    of the modes in which it can end (tariff.lua)
--   grants    the promotional credit that it has used (grants.lua), after a bar; nil if none
local messages = {}

messages.HEAD = 'c1c1c5c16'
messages.MIDDLE = '^(%d*)|([^|!]*)([^|]*)|()' -- up to the facts
messages.STATE = { p = 'parked', h = 'held', s = 'sent', t = 'settled', f = 'failed', e = 'expired', c = 'cancelled',
  u = 'unpaid' }
messages.LETTER = { parked = 'p', held = 'h', sent = 's', settled = 't', failed = 'f', expired = 'e', cancelled = 'c',
  unpaid = 'u', [''] = '' }
messages.KIND = { m = 'message', c = 'call', s = 'session' }
messages.KIND_LETTER = { message = 'm', call = 'c', session = 's' }
messages.OPEN = { held = true, sent = true } -- their holds have a deadline

-- Parses a record. Returns false without one. The long fields are searched as plain text, which costs less than a
-- pattern.
function messages.parse(id, record)
  if not record then return false end
  local state, kind, day, since, first = struct.unpack(messages.HEAD, record)
  local quoted, outcome, listed, facts_at = string.match(record, messages.MIDDLE, first)
  local bar = string.find(record, '|', facts_at, true)
  local last = string.find(record, '|', bar + 1, true)
  return {
    id = id,
    state = messages.STATE[state],
    kind = messages.KIND[kind],
    day = day,
    since = since,
    quoted = quoted,
    outcome = outcome,
    listed = listed,
    facts = string.sub(record, facts_at, bar - 1),
    prices = string.sub(record, bar + 1, last and last - 1 or -1),
    grants = last and string.sub(record, last + 1) or nil,
  }
end

function messages.record(message)
  return messages.LETTER[message.state] .. messages.KIND_LETTER[message.kind] .. message.day .. message.since
    .. message.quoted .. '|' .. message.outcome .. message.listed .. '|' .. message.facts .. '|' .. message.prices
    .. (message.grants and message.grants ~= '' and '|' .. message.grants or '')
end

-- Reads these messages into wallet.known, with false for one that does not exist.
function messages.read(ids)
  local records = redis.call('HMGET', wallet.tag .. ':messages', unpack(ids))
  for place = 1, #ids do
    local id = ids[place]
    local record = records[place]
    wallet.known[id] = record and messages.parse(id, record)
  end
end

-- Marks the message as changed. All changed messages are written together at the end of the operation.
function messages.write(message)
  local changed = wallet.changed
  local count = #changed
  changed[count + 1], changed[count + 2] = message.id, messages.record(message)
end

-- Sets another state, which begins now.
function messages.become(message, state)
  message.state, message.since = state, wallet.at
  messages.write(message)
end

-- Writes the changes with one command for each key. Removals come last, so a message that got a deadline and ended in
-- the same operation has none.
function messages.save()
  if wallet.changed[1] then redis.call('HSET', wallet.tag .. ':messages', unpack(wallet.changed)) end
  if wallet.due[1] then redis.call('ZADD', wallet.tag .. ':deadlines', unpack(wallet.due)) end
  if wallet.done[1] then redis.call('ZREM', wallet.tag .. ':deadlines', unpack(wallet.done)) end
end

-- The period after which an open hold ends: one of clock.PERIODS.
function messages.period(message)
  if message.state == 'sent' then return 'report' end
  return message.kind == 'call' and 'call' or 'message'
end

-- The µs at which an open hold ends, if the clock is right.
function messages.ends(message)
  return message.since + wallet.conf.periods_us[messages.period(message)]
end

-- ends: µs as text
function messages.set_deadline(message, ends)
  local due = wallet.due
  local count = #due
  due[count + 1], due[count + 2] = ends, message.id
end

-- Sets the deadline of an open hold that begins now.
function messages.begin_waiting(message)
  local period = messages.period(message)
  local ends = wallet.ends[period]
  if not ends then
    ends = string.format('%d', wallet.now + wallet.conf.periods_us[period])
    wallet.ends[period] = ends
  end
  messages.set_deadline(message, ends)
end

function messages.drop_deadline(message)
  wallet.done[#wallet.done + 1] = message.id
end

-- What the customer currently pays for the message: the whole quote while it is held.
function messages.charged(message)
  if messages.OPEN[message.state] then return message.quoted end
  local equals = string.find(message.outcome, '=', 1, true)
  return equals and string.sub(message.outcome, equals + 1) or '0'
end

-- The text by which a repeated ID is recognized as the same message.
function messages.body_hash(message)
  return string.match(message.facts, '^[^\t]*')
end

-- Writes a history entry about a message, with its new state. spendable, held: the effects, as text; more: the values
-- after the facts (mode, price, flag, …), each after a tab; prices: of a hold, at the end.
function messages.log(event, message, spendable, held, more, prices)
  wallet.append(event .. '\t' .. message.id .. '\t' .. spendable .. '\t' .. held .. '\t'
    .. messages.LETTER[message.state] .. '\t' .. messages.KIND_LETTER[message.kind] .. '\t' .. message.quoted .. '\t'
    .. message.facts .. more .. (prices or ''))
end
