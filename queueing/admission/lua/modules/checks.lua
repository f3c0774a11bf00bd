-- The form that arguments must have. Every operation checks all its arguments before it reads or writes.
local checks = {}

checks.TOKEN_DIGITS = 16
checks.TASK_DIGITS = 15
checks.BATCH_DIGITS = 14
checks.COUNT_DIGITS = 9
checks.CAP_DIGITS = 7
checks.NAME_BYTES = 64
checks.REASON_BYTES = 200
checks.TEXT_BYTES = 8192

-- The reply to an operation that is refused.
function checks.refusal(reason)
  return { '-1', '', '', reason }
end

function checks.is_holder(name)
  return #name <= checks.NAME_BYTES and string.find(name, '^%w[%w._:-]*$') ~= nil
end

-- A device holds a permit as "@device", which is one byte longer.
function checks.is_device(name)
  return #name < checks.NAME_BYTES and checks.is_holder(name)
end

function checks.is_number_or_none(digits, most)
  return digits == '' or is_digits(digits, most)
end

-- Whether the text is a number of slots, or '' if none is given.
function checks.is_weight_or_none(text)
  return text == '' or (string.find(text, '^[1-9]%d*$') and whole(text, 1, settings.MOST_CAP)) ~= nil
end

-- Whether the text is a token or a time in µs: 16 digits.
function checks.is_token(digits)
  return #digits == checks.TOKEN_DIGITS and not string.find(digits, '%D')
end

function checks.is_token_or_none(digits)
  return digits == '' or checks.is_token(digits)
end

function checks.is_reason(text)
  return is_text(text, checks.REASON_BYTES)
end
