-- Texts from outside: which are accepted, and how a state's JSON stores them. A quote or backslash is written as \u0022
-- or \u005c, so that patterns can match a state.
-- Rarely needed.
local texts = {}

texts.REASON_BYTES = 200
texts.SHOWN_BYTES = 40

function texts.json(text)
  return (string.gsub(text, '[%c"\\]', texts.escape))
end

function texts.escape(character)
  return string.format('\\u%04x', string.byte(character))
end

function texts.plain(json)
  return (string.gsub(json, '\\u00(%x%x)', texts.unescape))
end

function texts.unescape(hex)
  return string.char(tonumber(hex, 16))
end

-- Whether the text is valid UTF-8 (RFC 3629).
function texts.is_utf8(text)
  local left = string.gsub(text, '[%z\1-\127]', '')
  left = string.gsub(left, '[\194-\223][\128-\191]', '')
  left = string.gsub(left, '\224[\160-\191][\128-\191]', '')
  left = string.gsub(left, '\237[\128-\159][\128-\191]', '')
  left = string.gsub(left, '[\225-\236\238\239][\128-\191][\128-\191]', '')
  left = string.gsub(left, '\240[\144-\191][\128-\191][\128-\191]', '')
  left = string.gsub(left, '[\241-\243][\128-\191][\128-\191][\128-\191]', '')
  return string.gsub(left, '\244[\128-\143][\128-\191][\128-\191]', '') == ''
end

-- A reason as we store it: without control characters, and 200 bytes or less of whole characters.
function texts.reason(text)
  local kept = string.gsub(string.sub(text or '', 1, texts.REASON_BYTES), '%c', ' ')
  while string.find(kept, '[\192-\247]') and not texts.ends_whole(kept) do
    kept = string.match(kept, '^(.*).$')
  end
  return kept
end

function texts.ends_whole(text)
  return string.find(text, '[\1-\127]$') or string.find(text, '[\192-\223][\128-\191]$')
    or string.find(text, '[\224-\239][\128-\191][\128-\191]$')
    or string.find(text, '[\240-\247][\128-\191][\128-\191][\128-\191]$')
end

-- A text for an error message: its first bytes, printable.
function texts.shown(text)
  return (string.gsub(string.sub(text, 1, texts.SHOWN_BYTES), '[^ -~]', '?'))
end
