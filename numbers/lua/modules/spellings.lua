-- Numbers whose stored spelling is not the canonical one: a:<canonical> in the index holds the stored one.
local spellings = {}

spellings.DIGITS = 32

-- The spelling under which a number is stored that was given as `number`. An alias of a number that is gone, its call
-- too, counts for nothing.
function spellings.stored(number)
  local stored = index.get('a:' .. number)
  return stored and spellings.is_stored(stored) and stored or number
end

function spellings.is_stored(number)
  return states.exists(number) or old_calls.exists(number)
end

-- A number as it is taken: an optional + and digits.
function spellings.is_number(text)
  local _, last = string.find(text, '^%+?%d+$')
  return last ~= nil and #text <= spellings.DIGITS + (string.find(text, '+', 1, true) and 1 or 0)
end
