-- Numbers that are not stored in their canonical form: a:<canonical form> in the index has the stored one.
local spellings = {}

spellings.DIGITS = 32

-- The stored spelling of a number. An alias is ignored if its number is deleted and has no running call.
function spellings.stored(number)
  local stored = index.get('a:' .. number)
  return stored and spellings.is_stored(stored) and stored or number
end

function spellings.is_stored(number)
  return states.exists(number) or old_calls.exists(number)
end

-- Whether the text is a number: an optional + and digits.
function spellings.is_number(text)
  local _, last = string.find(text, '^%+?%d+$')
  return last ~= nil and #text <= spellings.DIGITS + (string.find(text, '+', 1, true) and 1 or 0)
end
