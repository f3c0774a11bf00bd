-- Functions for all scripts. A script gets only those that it names, joined into its first line: unused closures would
-- cost time in every call, and the line numbers in Redis' errors stay those of the file. VERSION is the header's
-- Version. Strings here must not contain two dashes.

-- Redis' TIME in µs. After a step back of 1 s or less, it returns `last_us` (the aggregate's field `clock`). A larger
-- step is returned as it is, so that the clock check notices it.
local function now_us(last_us)
  local SECOND_US = 1000000
  local time = redis.call('TIME')
  local now = time[1] * SECOND_US + time[2]
  local last = tonumber(last_us) or 0
  if now < last and last - now <= SECOND_US then return last end
  return now
end

-- An integer as text. Lua's default turns 1763693000123456 into 1.7636930001235e+15.
local function int(n)
  return string.format('%d', n)
end

-- The smallest score in these sorted sets, or `latest` if none is smaller: when the aggregate next has something due.
local function earliest(latest, ...)
  for _, name in ipairs({ ... }) do
    local first = redis.call('ZRANGE', name, 0, 0, 'WITHSCORES')[2]
    if first and first + 0 < latest then latest = first + 0 end
  end
  return latest
end

-- Returns nil, or the reason why this script must not write: the data is two releases ahead. Arguments: the fields
-- script_version and script_sha of the tag's hash.
local function outdated(data_version, data_sha)
  if data_version and tonumber(data_version) > VERSION + 1 then
    return 'script outdated ' .. (data_sha or '')
  end
end

-- Trims a history to its limit (`room` entries). Entries that are not in SQL yet are dropped and counted. Checks once
-- in 256 entries. `first_seq` is the last entry before this operation.
local function trim_log(tag, seq, first_seq, room)
  local EVERY = 256
  if math.floor(seq / EVERY) == math.floor(first_seq / EVERY) then return end
  local drained = (redis.call('HGET', tag, 'drained') or 0) + 0
  if seq - drained <= room then return end
  local log = tag .. ':log'
  redis.call('XTRIM', log, 'MINID', string.format('%d-0', drained + 1))
  local dropped = redis.call('XTRIM', log, 'MINID', string.format('%d-0', seq - room + 1))
  if dropped > 0 then redis.call('HINCRBY', tag, 'dropped', dropped) end
end

-- Wakes an aggregate's listeners after its first change in each tenth of a second. `last`: the time of the last
-- change. A listener reads again until nothing is new.
local function wake(tag, now, last)
  local ONCE_US = 100000
  if math.floor(now / ONCE_US) ~= math.floor(last / ONCE_US) then redis.pcall('PUBLISH', tag .. ':wake', '') end
end

-- Notifies the timers that an aggregate may have something due earlier than they know.
local function tell_timers(tag)
  redis.pcall('PUBLISH', 'timers:new', tag)
end

-- Caches what was parsed from a text for later calls. This works in a library; a script forgets it. A full cache is
-- cleared.
local function remember(kept, text, value)
  local MOST = 1000
  if (kept.count or 0) >= MOST then
    for known in pairs(kept) do kept[known] = nil end
  end
  kept[text], kept.count = value, (kept.count or 0) + 1
end

-- The form that arguments must have. Every operation checks all its arguments before it reads or writes.

-- Whether the text has only digits, `most` or fewer.
local function is_digits(text, most)
  return #text <= most and string.find(text, '^%d+$') ~= nil
end

local function is_flag(text)
  return text == '0' or text == '1'
end

-- Whether the text has no control characters, which separate the fields of records and of the history.
local function is_text(text, longest)
  return #text <= longest and not string.find(text, '%c')
end

-- A whole number from `least` to `most`, or nil if the text is none.
local function whole(text, least, most)
  local number = tonumber(text)
  if number and number >= least and number <= most and number % 1 == 0 then return number end
end
