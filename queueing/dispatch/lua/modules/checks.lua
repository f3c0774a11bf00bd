-- What arguments must look like. Every operation checks all of its own before it writes.
local checks = {}

checks.ID_BYTES = 40
checks.PEER_BYTES = 42 -- f: or b: before an id
checks.SESSION_BYTES = 80
checks.BODY_BYTES = 65536
checks.FIELD_END = '\31' -- hotpath/library.py
checks.REASON_BYTES = 200
checks.NUMBER_DIGITS = 15
checks.TIME_DIGITS = 16
checks.MOST_PEERS = 2000
checks.MOST_NAMES = 1000

-- The reply to an operation that is refused as a whole.
function checks.refusal(reason)
  return { '-1', reason }
end

-- The id of a peer, or the name of an instance.
function checks.is_id(text)
  return #text <= checks.ID_BYTES and string.find(text, '^%w[%w._-]*$') ~= nil
end

-- f:<id> or b:<id>.
function checks.is_peer(text)
  return #text <= checks.PEER_BYTES and string.find(text, '^[fb]:%w[%w._-]*$') ~= nil
end

-- The token of a socket or of a process.
function checks.is_token(text)
  return #text <= checks.ID_BYTES and string.find(text, '^%w+$') ~= nil
end

-- What a peer may call itself or another one: a boot id, an id, a name, or ''.
function checks.is_plain(text)
  return #text <= checks.ID_BYTES and string.find(text, '^[%w._-]*$') ~= nil
end

function checks.is_session(text)
  return #text <= checks.SESSION_BYTES and string.find(text, '^%w[%w._-]*/[^%c%s]+$') ~= nil
end

function checks.is_time_or_none(text)
  return text == '' or is_digits(text, checks.TIME_DIGITS)
end

-- JSON, which has control characters escaped: no body may hold the byte that ends each field of a reply.
function checks.is_body(text)
  return #text <= checks.BODY_BYTES and not string.find(text, checks.FIELD_END, 1, true)
end

function checks.is_reason(text)
  return is_text(text, checks.REASON_BYTES)
end
