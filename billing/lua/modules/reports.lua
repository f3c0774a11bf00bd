-- Status reports of the gateway. A report is one word: i interim, u without a mode that can be read, f finally failed,
-- d and the mode: finally delivered. Only a final one moves money.
local reports = {}

reports.WORD_BYTES = 25
reports.WHAT = { i = 'interim', u = 'unreadable', f = 'failed' }
reports.TITLE = { i = 'interim', u = '?', f = 'failed' }
reports.NOT_SENT = { cancelled = true, unpaid = true }

-- What a word says: interim, unreadable, failed, or delivered and the mode; nil = it is no word of a report.
function reports.parse(word)
  local what = reports.WHAT[word]
  if what then return what end
  local mode = string.match(word, '^d([%l%d_]+)$')
  if mode then return 'delivered', mode end
end

function reports.is_word(word)
  return #word <= reports.WORD_BYTES and reports.parse(word) ~= nil
end

-- What was reported, as entries and flags tell it.
function reports.title(word)
  return reports.TITLE[word] or string.match(word, '^d(.*)$')
end

-- Takes a report of a message that was read before. Returns the answer, the message as it is now, and the flag.
function reports.take(id, word)
  local message = endings.current(id)
  local what, mode = reports.parse(word)
  local is_final = what == 'failed' or what == 'delivered'
  if not message then
    if is_final then return parked.keep(id, word) end
    return 'unknown', false, 'unknown'
  end
  if is_final and messages.is_open(message) then
    local flag = reports.settle(message, mode)
    messages.drop_deadline(message)
    return message.state, message, flag
  end
  if is_final then return reports.take_again(message, word) end
  return reports.note(message, what, word)
end

-- A final report meets an open hold: what was delivered is charged, at most the quote, and the rest comes back. mode:
-- nil = it failed. Returns the flag.
function reports.settle(message, mode)
  local price, flag, more = 0, '', ''
  if mode then
    local loss
    price, loss = tariff.charge(message, mode)
    if loss then
      flag = 'unexpected mode'
      more = '\t' .. flag .. '\t' .. mode .. '\t' .. string.format('%d', loss)
    end
  end
  local back, charged = message.quoted - price, string.format('%d', price)
  holds.release(message, back)
  message.outcome = mode and mode .. '=' .. charged or ''
  messages.become(message, mode and 'settled' or 'failed')
  messages.log(mode and 'settle' or 'fail', message, string.format('%d', back), '-' .. message.quoted,
    '\t' .. (mode or '') .. '\t' .. charged .. more)
  return flag
end

-- A report that is not final proves that the message went out, and no more.
function reports.note(message, what, word)
  local was = message.state
  if was == 'held' then holds.mark_sent(message) end
  if what == 'unreadable' then return reports.list(message, 'unreadable', word) end
  if reports.NOT_SENT[was] then return reports.list(message, 'contradiction', word) end
  return was == 'held' and 'sent' or 'noted', message, ''
end

-- A final report after the end of its message: the same again, or one that contradicts it.
function reports.take_again(message, word)
  if message.state == 'expired' then return reports.list(message, 'late', word) end
  if reports.taken_before(message) == word then return 'repeat', message, 'repeat' end
  return reports.list(message, 'contradiction', word)
end

-- The word of the final report that a message has had; nil = none.
function reports.taken_before(message)
  if message.state == 'parked' then return message.outcome end
  if message.state == 'failed' then return 'f' end
  if message.state == 'settled' then return 'd' .. string.match(message.outcome, '^[^=]*') end
end

function reports.list(message, flag, word)
  flags.list(message, flag, reports.title(word))
  return flag, message, flag
end
