-- Status reports of the gateway. A report is one word: i = interim, u = the mode can't be read, f = finally failed, d
-- followed by the mode = finally delivered. Only a final report moves money. For an interval of a call, the mode is
-- followed by its highest price and its length in seconds: dcall=<units>/<seconds>.
local reports = {}

reports.INTERIM = 'i'
reports.UNREADABLE = 'u'
reports.FAILED = 'f'
reports.WORD_BYTES = 25
reports.COST = '^(d[%l%d_]+)=(%d+)/(%d%d?%d?%d?%d?%d?)$'
reports.TITLE = { i = 'interim', u = '?', f = 'failed' }
reports.NOT_SENT = { cancelled = true, unpaid = true }

-- The mode of a final report, or nil if the message failed.
function reports.mode(word)
  if word == reports.FAILED then return nil end
  return string.match(word, '^d([^=]*)')
end

function reports.is_word(word)
  if reports.TITLE[word] then return true end
  local plain, units = string.match(word, reports.COST)
  if units and not checks.is_units(units) then return false end
  plain = plain or word
  return #plain <= reports.WORD_BYTES and string.find(plain, '^d[%l%d_]+$') ~= nil
end

-- The highest price of a call's interval and its seconds, both as text, or nil if the report has none.
function reports.cost(word)
  local _, units, seconds = string.match(word, reports.COST)
  return units, seconds
end

-- The report without the price of a call's interval.
function reports.plain(word)
  return string.match(word, '^[^=]*')
end

-- The report as entries and flags name it.
function reports.title(word)
  return reports.TITLE[word] or string.sub(reports.plain(word), 2)
end

-- Takes a report for a message that has been read. Returns the answer, the message in its current state, and the flag.
function reports.take(id, word)
  local message = endings.current(id)
  if word == reports.INTERIM or word == reports.UNREADABLE then return reports.note(message, word) end
  if not message then return parked.keep(id, word) end
  if not messages.OPEN[message.state] then return reports.take_again(message, word) end
  local flag = reports.settle(message, reports.mode(word), reports.cost(word))
  messages.drop_deadline(message)
  return message.state, message, flag
end

-- A final report ends an open hold. The delivery is charged, up to the quote, and the rest is returned. mode: nil if
-- the message failed; units, seconds: see reports.cost. Returns the flag.
function reports.settle(message, mode, units, seconds)
  local charged, back, flag, more = '0', message.quoted, '', ''
  if mode then
    local loss
    charged, loss = tariff.charge(message, mode)
    if units then charged, more = tariff.at_most(charged, units), '\t\t' .. seconds end
    back = string.format('%d', message.quoted - charged)
    if loss then
      flag = 'unexpected mode'
      more = '\t' .. flag .. '\t' .. mode .. '\t' .. loss
    end
  end
  holds.release(message, back)
  message.outcome = mode and mode .. '=' .. charged or ''
  messages.become(message, mode and 'settled' or 'failed')
  messages.log(mode and 'settle' or 'fail', message, back, '-' .. message.quoted,
    '\t' .. (mode or '') .. '\t' .. charged .. more)
  return flag
end

-- A report that is not final only shows that the message was sent.
function reports.note(message, word)
  if not message then return 'unknown', false, 'unknown' end
  local was = message.state
  if was == 'held' then holds.mark_sent(message) end
  if word == reports.UNREADABLE then return reports.list(message, 'unreadable', word) end
  if reports.NOT_SENT[was] then return reports.list(message, 'contradiction', word) end
  return was == 'held' and 'sent' or 'noted', message, ''
end

-- Takes a final report after the end of its message: the same report again, or one that contradicts it.
function reports.take_again(message, word)
  if message.state == 'expired' then return reports.list(message, 'late', word) end
  if reports.taken_before(message) == reports.plain(word) then return 'repeat', message, 'repeat' end
  return reports.list(message, 'contradiction', word)
end

-- The final report that the message has had, or nil.
function reports.taken_before(message)
  if message.state == 'parked' then return message.outcome end
  if message.state == 'failed' then return reports.FAILED end
  if message.state == 'settled' then return 'd' .. string.match(message.outcome, '^[^=]*') end
end

function reports.list(message, flag, word)
  flags.list(message, flag, reports.title(word))
  return flag, message, flag
end
