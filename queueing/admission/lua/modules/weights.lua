-- Sums of weights in O(log n), counted from the members themselves, so no counter can drift. A weight is in a sorted
-- set in which all scores are 0, as one member for each of its binary digits that is 1: the digit's letter (a for 1, b
-- for 2, c for 4 …), a time of 16 digits, a blank and the name. A range of times needs one count for each letter.
local weights = {}

weights.FIRST_LETTER = 97 -- a

-- The members of one weight.
function weights.members(time, name, weight)
  local members, digit = {}, 0
  while weight > 0 do
    if weight % 2 == 1 then
      members[#members + 1] = string.char(weights.FIRST_LETTER + digit) .. time .. ' ' .. name
    end
    weight, digit = math.floor(weight / 2), digit + 1
  end
  return members
end

function weights.add(key, time, name, weight)
  if weight == 0 then return end
  local words = {}
  for _, member in ipairs(weights.members(time, name, weight)) do
    words[#words + 1] = 0
    words[#words + 1] = member
  end
  redis.call('ZADD', key, unpack(words))
end

function weights.remove(key, time, name, weight)
  if weight > 0 then redis.call('ZREM', key, unpack(weights.members(time, name, weight))) end
end

-- The sum of the weights whose time is `first` or later and before `before`. nil = no limit.
function weights.sum(key, first, before)
  local last = redis.call('ZRANGE', key, -1, -1)[1]
  if not last then return 0 end
  local sum, unit = 0, 1
  for code = weights.FIRST_LETTER, string.byte(last) do
    local letter, following = string.char(code), string.char(code + 1)
    local ends = before and '(' .. letter .. before or '(' .. following
    sum = sum + unit * redis.call('ZLEXCOUNT', key, '[' .. letter .. (first or ''), ends)
    unit = unit * 2
  end
  return sum
end

-- Removes up to `limit` members whose time is before `before`. They remain if a process of an earlier release, which
-- knows no weights, removed the permit. Returns how many.
function weights.forget(key, before, limit)
  local last = redis.call('ZRANGE', key, -1, -1)[1]
  local gone = 0
  for code = weights.FIRST_LETTER, last and string.byte(last) or 0 do
    local letter = string.char(code)
    local old = redis.call('ZRANGEBYLEX', key, '[' .. letter, '(' .. letter .. before, 'LIMIT', 0, limit)
    if #old > 0 then gone = gone + redis.call('ZREM', key, unpack(old)) end
  end
  return gone
end
