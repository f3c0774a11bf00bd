-- Events in a rare form: one JSON object with the names of the options, and texts with more than printable ASCII.
-- Rarely needed.
local unusual = {}

-- The arguments given as one JSON object with the names of the options. It must be the only argument.
function unusual.words(text, others)
  local is_json, object = pcall(cjson.decode, text)
  local said = { '', '-' }
  if not is_json or type(object) ~= 'table' or others > 0 then
    event.problem = 'JSON'
    return said
  end
  for name, value in pairs(object) do
    if value ~= cjson.null then unusual.add(said, name, unusual.value(value)) end -- null: as if left out
  end
  return said
end

-- Adds one argument; `text` is nil if the value can't be one.
function unusual.add(said, name, text)
  if not text or type(name) ~= 'string' then
    event.problem = event.problem or 'JSON value'
  elseif name == 'event' then
    said[1] = text
  elseif name == 'number' then
    said[2] = text == '' and '-' or text
  else
    said[#said + 1], said[#said + 2] = name, text
  end
end

-- A JSON value as an option's text, or nil if it can't be one.
function unusual.value(value)
  if type(value) == 'string' then return value end
  if type(value) == 'boolean' then return value and '1' or '0' end
  if type(value) ~= 'number' then return nil end
  if value % 1 ~= 0 or value < 0 or value > event.MOST_ORDER + 0 then
    event.problem = 'number in JSON'
    return ''
  end
  return string.format('%.0f', value)
end

-- What is wrong with the event's texts, or nil. They must be valid UTF-8 without control characters.
function unusual.text_fault()
  local given = { event.call_id, event.switch, event.incarnation, event.agent, event.callee, event.contact, event.paid,
    event.reason, event.release_cause }
  for _, text in ipairs(given) do
    if string.find(text, '%c') then return 'text: control character' end
    if not texts.is_utf8(text) then return 'text: not UTF-8' end
  end
end
