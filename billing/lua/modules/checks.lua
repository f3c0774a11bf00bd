-- The form that arguments must have. Every operation checks all its arguments before it reads or writes.
local checks = {}

checks.ID_BYTES = 80
checks.UNITS_DIGITS = 16
checks.UNITS_END = 9007199254740992 -- 2^53: numbers are exact up to here
checks.MOST_MESSAGES = 32 -- of one operation

-- The reply to an operation that is refused.
function checks.refusal(reason)
  return { '-1', reason }
end

-- Whether the text can be the ID of a message or an operation: printable, without spaces.
function checks.is_id(text)
  return #text <= checks.ID_BYTES and string.find(text, '^[!-~]+$') ~= nil
end

-- Whether the text is an amount of units, 0 or more.
function checks.is_units(text)
  return is_digits(text, checks.UNITS_DIGITS) and text + 0 < checks.UNITS_END
end

-- Whether the text is a balance in units. It is negative if credit is used.
function checks.is_balance(text)
  return checks.is_units((string.gsub(text, '^-', '')))
end

-- Whether the text is an amount of 1 unit or more, without leading zeros, because receipts compare amounts as text.
function checks.is_amount(text)
  return checks.is_units(text) and string.find(text, '^[1-9]') ~= nil
end

-- Whether the text has a body hash, a tariff and a chatbot.
function checks.is_facts(text)
  return string.find(text, '^[%w_-]*\t%d*\t[%l%d-]*$') ~= nil
end

-- Whether the text can be stored as prices: bars, tabs and \31 separate the fields of records, entries and replies.
function checks.are_prices(text)
  return not string.find(text, '|', 1, true) and not string.find(text, '\t', 1, true)
    and not string.find(text, '\31', 1, true)
end

-- Why this is not a list of message IDs, or nil.
function checks.malformed_ids(ids)
  if #ids == 0 or #ids > checks.MOST_MESSAGES then return 'malformed batch' end
  for place = 1, #ids do
    if not checks.is_id(ids[place]) then return 'malformed id' end
  end
end
