-- The event being decided. event.read sets all fields:
--   verb, number        the number as it was sent, '' if none
--   problem             which part is malformed, or nil
--   call_id, switch, incarnation, agent, callee, area, paid, contact, reason    options as text, '' if not given
--   expires, order, release_cause, answered, talk_seconds                       the same
--   direction           out | in
--   is_forced, is_sticky, wait_ms
--   told                the texts that the history stores, separated by tabs
--   is_plain            all texts are printable ASCII without quotes and backslashes, as nearly all are
--   session             the band of the switch's current session (switches.lua), once the switch has been heard
local event = {}

event.VERBS = { call = true, hangup = true, renew = true, add = true, del = true, reg = true, unreg = true }
event.PRINTABLE = '^[ -~]*$'
event.PRINTABLE_LINE = '^([ -~]*)\t([ -~]*)\t([ -~]*)\t([ -~]*)\t([ -~]*)\t([ -~]*)\t([ -~]*)([ -~\t]*)$'
event.LINE_BEGINS = '^[^{\t]*\t'
event.LINE = '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)(.*)$'
event.OPTION = '\t([^\t]*)\t([^\t]*)'
event.JSON_BRACE = 123
event.MOST_DIGITS = 9
event.MOST_SECONDS = 315360000 -- ten years
event.MOST_ORDER = '9007199254740992'
event.MOST_WAIT_MS = 60000
event.WAIT_DIGITS = 5
event.ID_BYTES = 128
event.CONTACT_BYTES = 256
event.NAME_BYTES = 64

-- Reads one event from the arguments `first` to `last`, without reading any key. is_listed: the event is part of a list
-- and may not wait.
function event.read(words, first, last, is_listed)
  event.clear()
  local word = words[first] or ''
  if first == last and string.find(word, event.LINE_BEGINS) then
    event.read_line(word)
  elseif string.byte(word) == event.JSON_BRACE then
    local said = unusual.words(word, last - first)
    event.read_words(said, 1, #said)
  else
    event.read_words(words, first, last)
  end
  if not event.problem and not event.VERBS[event.verb] then event.problem = 'event' end
  event.problem = event.problem or event.fault() or event.wait_fault(is_listed)
  event.tell()
  if not event.is_plain and not event.problem then event.problem = unusual.text_fault() end
  if event.number == '' and not event.problem and event.needs_number() then event.problem = 'number' end
end

-- Redis checks its memory before a script's first write, unless that command deletes. So a full server still runs an
-- event that needs no memory. Functions have a flag for this.
function event.delete_first(tag)
  if event.verb ~= 'call' and event.verb ~= 'add' then redis.call('HDEL', tag, '') end
end

-- Reads one argument with tabs: the verb, the number, the options that calls have, then names and values of other
-- options.
function event.read_line(line)
  local verb, given, call_id, switch, incarnation, agent, callee, others = string.match(line, event.PRINTABLE_LINE)
  event.is_plain = verb and event.has_no_quote(line)
  if not verb then
    verb, given, call_id, switch, incarnation, agent, callee, others = string.match(line, event.LINE)
    if not verb then
      event.problem = 'line'
      return
    end
  end
  event.verb, event.call_id, event.switch, event.incarnation = verb, call_id, switch, incarnation
  event.agent, event.callee = agent, callee
  event.read_number(given)
  if others ~= '' then
    for name, value in string.gmatch(others, event.OPTION) do event.take(name, value) end
  end
end

function event.read_words(words, first, last)
  event.verb = words[first]
  if first < last then event.read_number(words[first + 1]) end
  for place = first + 2, last - 1, 2 do event.take(words[place], words[place + 1]) end
  if last - first > 1 and (last - first) % 2 == 0 then event.problem = event.problem or 'options: one has no value' end
  local all = table.concat(words, ' ', first, last)
  event.is_plain = string.find(all, event.PRINTABLE) and event.has_no_quote(all)
end

function event.has_no_quote(text)
  return not string.find(text, '"', 1, true) and not string.find(text, '\\', 1, true)
end

function event.clear()
  event.verb, event.number, event.problem = nil, '', nil
  event.call_id, event.switch, event.incarnation, event.agent, event.callee = '', '', '', '', ''
  event.area, event.paid, event.contact, event.reason, event.expires, event.order = '', '', '', '', '', ''
  event.release_cause, event.answered, event.talk_seconds = '', '', ''
  event.direction, event.is_forced, event.is_sticky, event.wait_ms = 'out', '0', '1', ''
  event.session = '1000'
end

function event.read_number(given)
  if given == '-' then return end
  event.number = given
  if not spellings.is_number(given) then
    event.number, event.problem = texts.shown(given), event.problem or 'number'
  end
end

-- Reads one option.
function event.take(name, value)
  if name == 'call_id' then event.call_id = value
  elseif name == 'switch' then event.switch = value
  elseif name == 'incarnation' then event.incarnation = value
  elseif name == 'agent' then event.agent = value
  elseif name == 'callee' then event.callee = value
  elseif name == 'near' then event.area = value
  elseif name == 'sticky' then event.is_sticky = value
  elseif name == 'direction' then event.direction = value
  elseif name == 'force' then event.is_forced = value
  elseif name == 'paid' then event.paid = value
  elseif name == 'contact' then event.contact = value
  elseif name == 'expires' then event.expires = value
  elseif name == 'seq' then event.order = value
  elseif name == 'reason' then event.reason = value
  elseif name == 'wait_ms' then event.wait_ms = value
  elseif name == 'cause' then event.release_cause = value
  elseif name == 'answered' then event.answered = value
  elseif name == 'talk_seconds' then event.talk_seconds = value
  else event.problem = event.problem or 'option ' .. texts.shown(name) end
end

-- The first malformed option, or nil. Turns flags into booleans.
function event.fault()
  if #event.call_id > event.ID_BYTES then return 'call_id' end
  if #event.switch > event.NAME_BYTES then return 'switch' end
  if #event.incarnation > event.NAME_BYTES then return 'incarnation' end
  if event.incarnation ~= '' and event.switch == '' then return 'incarnation' end
  if #event.agent > event.NAME_BYTES then return 'agent' end
  if #event.callee > event.NAME_BYTES then return 'callee' end
  if event.area ~= '' and not regions.is_name(event.area) then return 'near' end
  if not is_flag(event.is_sticky) then return 'sticky' end
  if not is_flag(event.is_forced) then return 'force' end
  event.is_sticky, event.is_forced = event.is_sticky == '1', event.is_forced == '1'
  if event.direction ~= 'out' and event.direction ~= 'in' then return 'direction' end
  if #event.paid > event.ID_BYTES then return 'paid' end
  if #event.contact > event.CONTACT_BYTES then return 'contact' end
  if #event.reason > texts.REASON_BYTES then return 'reason' end
  if #event.release_cause > event.NAME_BYTES then return 'cause' end
  if event.answered ~= '' and not is_flag(event.answered) then return 'answered' end
  if not event.is_span(event.talk_seconds) then return 'talk_seconds' end
  if event.talk_seconds ~= '' and event.answered ~= '1' then return 'talk_seconds without answered' end
  if not event.is_span(event.expires) then return 'expires' end
  if event.order ~= '' and not event.is_order(event.order) then return 'seq' end
end

-- Whether the text is a number of seconds or empty.
function event.is_span(text)
  return text == '' or is_digits(text, event.MOST_DIGITS) and text + 0 <= event.MOST_SECONDS
end

function event.is_order(text)
  local most = event.MOST_ORDER
  return is_digits(text, #most) and (#text < #most or text <= most)
end

-- Sets how long the call waits for a number. 0 means that it doesn't wait.
function event.wait_fault(is_listed)
  local wait_ms = event.wait_ms
  event.wait_ms = 0
  if wait_ms == '' then return nil end
  if not is_digits(wait_ms, event.WAIT_DIGITS) or wait_ms + 0 > event.MOST_WAIT_MS then return 'wait_ms' end
  if is_listed then return 'wait_ms in a batch' end
  if event.call_id == '' then return 'wait_ms without call_id' end
  event.wait_ms = wait_ms + 0
end

-- Sets the texts that the history stores, in the history's order.
function event.tell()
  if event.verb == 'call' then
    event.told = event.call_id .. '\t' .. event.switch .. '\t' .. event.incarnation .. '\t' .. event.agent .. '\t'
      .. event.callee .. '\t' .. event.direction
  elseif event.verb ~= 'hangup' then
    event.told = event.call_id .. '\t' .. event.switch .. '\t' .. event.incarnation .. '\t' .. event.agent .. '\t'
      .. event.callee .. '\t\t' .. event.contact
  elseif event.answered ~= '' or event.release_cause ~= '' then
    event.told = event.call_id .. '\t\t\t\t\t\t\t' .. event.answered .. '\t' .. event.talk_seconds .. '\t'
      .. event.release_cause
  else
    event.told = event.call_id
  end
end

-- One of the event's texts, escaped for a state's JSON.
function event.json(text)
  return event.is_plain and text or texts.json(text)
end

-- Whether the verb needs a number. Hangups and renewals may name their call instead.
function event.needs_number()
  return event.verb ~= 'call' and (event.call_id == '' or event.verb ~= 'hangup' and event.verb ~= 'renew')
end
