-- The words of records, and the form that arguments must have.
local words = {}

words.MOST_ROWS = 1000
words.CURSOR = '^%d+$'

-- A text as one word of a record: blanks and control characters, which would end it, become "_".
function words.one(text)
  return (string.gsub(text or '', '[%s%c]+', '_'))
end

-- Like words.one, for an argument that may be empty. It becomes `other` then.
function words.one_or(text, other)
  return words.one(text ~= '' and text or other)
end

-- How many rows are requested, or nil if the argument is malformed.
function words.count(text)
  return whole(text or '', 1, words.MOST_ROWS)
end

-- The cursor to continue from, as the last reply returned it.
function words.is_cursor(text)
  return string.find(text or '', words.CURSOR) ~= nil
end
