-- Words of records, and what arguments must look like.
local words = {}

words.MOST_ROWS = 1000
words.CURSOR = '^%d+$'

-- A text as one word of a record: "_" for blanks and control characters, which would end it.
function words.one(text)
  return (string.gsub(text or '', '[%s%c]+', '_'))
end

-- The same of an argument that may be left empty; then another word.
function words.one_or(text, other)
  return words.one(text ~= '' and text or other)
end

-- How many rows a look asks for; nil = malformed.
function words.count(text)
  return whole(text or '', 1, words.MOST_ROWS)
end

-- Where a look goes on, as the reply before said.
function words.is_cursor(text)
  return string.find(text or '', words.CURSOR) ~= nil
end
