-- The form that arguments must have. Every operation checks all its arguments before it writes.
local checks = {}

checks.ID_BYTES = 40
checks.PEER_BYTES = 42 -- f: or b: before an ID
checks.SESSION_BYTES = 80
checks.BODY_BYTES = 65536
checks.FIELD_END = '\31' -- hotpath/library.py
checks.REASON_BYTES = 200
checks.NUMBER_DIGITS = 15
checks.TIME_DIGITS = 16
checks.MOST_PEERS = 2000
checks.MOST_NAMES = 1000

-- The reply to an operation that is refused.
function checks.refusal(reason)
  return { '-1', reason }
end

-- Whether the text is the ID of a peer or the name of an instance.
function checks.is_id(text)
  return #text <= checks.ID_BYTES and string.find(text, '^%w[%w._-]*$') ~= nil
end

-- Whether the text is f:<ID> or b:<ID>.
function checks.is_peer(text)
  return #text <= checks.PEER_BYTES and string.find(text, '^[fb]:%w[%w._-]*$') ~= nil
end

-- Whether the text is the token of a socket or process.
function checks.is_token(text)
  return #text <= checks.ID_BYTES and string.find(text, '^%w+$') ~= nil
end

-- Whether the text may be the boot ID, ID or name of a peer, or ''.
function checks.is_plain(text)
  return #text <= checks.ID_BYTES and string.find(text, '^[%w._-]*$') ~= nil
end

function checks.is_session(text)
  return #text <= checks.SESSION_BYTES and string.find(text, '^%w[%w._-]*/[^%c%s]+$') ~= nil
end

function checks.is_time_or_none(text)
  return text == '' or is_digits(text, checks.TIME_DIGITS)
end

-- JSON has its control characters escaped: no body may contain the byte that ends each field of a reply.
function checks.is_body(text)
  return #text <= checks.BODY_BYTES and not string.find(text, checks.FIELD_END, 1, true)
end

function checks.is_reason(text)
  return is_text(text, checks.REASON_BYTES)
end
