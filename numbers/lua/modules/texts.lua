-- Texts from outside: what may be kept, and their form inside of a state's JSON, where a quote or a
-- backslash is written as \u0022 or \u005c so that a state can be matched by pattern.
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

-- Whole characters of UTF-8, as RFC 3629 has them.
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

-- A reason as we keep it: no control characters, at most 200 bytes, the last character whole.
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

-- A text in an error message: its first bytes, printable.
function texts.shown(text)
  return (string.gsub(string.sub(text, 1, texts.SHOWN_BYTES), '[^ -~]', '?'))
end
