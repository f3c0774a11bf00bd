-- What arguments must look like. Every operation checks all of its own before it reads or writes.
local checks = {}

checks.ID_BYTES = 80
checks.UNITS_DIGITS = 16
checks.UNITS_END = 9007199254740992 -- 2^53: up to here numbers are exact
checks.MOST_MESSAGES = 32 -- of one call

-- The reply to an operation that is refused as a whole.
function checks.refusal(reason)
  return { '-1', reason }
end

-- The id of a message or an operation: printable, without spaces.
function checks.is_id(text)
  return #text <= checks.ID_BYTES and string.find(text, '^[!-~]+$') ~= nil
end

-- Units of money, from 0.
function checks.is_units(text)
  return is_digits(text, checks.UNITS_DIGITS) and text + 0 < checks.UNITS_END
end

-- The same below 0, too: a balance of which credit is used.
function checks.is_balance(text)
  return checks.is_units((string.gsub(text, '^-', '')))
end

-- The same from 1, and no zeros before them: receipts compare them as text.
function checks.is_amount(text)
  return checks.is_units(text) and string.find(text, '^[1-9]') ~= nil
end

-- Body hash, tariff and chatbot.
function checks.is_facts(text)
  return string.find(text, '^[%w_-]*\t%d*\t[%l%d-]*$') ~= nil
end

-- What may be kept as prices: bars, tabs and \31 end the fields of records, entries and replies.
function checks.are_prices(text)
  return not string.find(text, '|', 1, true) and not string.find(text, '\t', 1, true)
    and not string.find(text, '\31', 1, true)
end

-- Why this is no list of message ids; nil = it is one.
function checks.malformed_ids(ids)
  if #ids == 0 or #ids > checks.MOST_MESSAGES then return 'malformed batch' end
  for place = 1, #ids do
    if not checks.is_id(ids[place]) then return 'malformed id' end
  end
end
