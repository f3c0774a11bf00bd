-- What scripts have in common. Only the functions that a body names are put before it, joined
-- into its first line: unused closures would cost on every call, and line numbers in Redis'
-- errors stay those of the file. VERSION is the header's Version. No strings with two dashes here.

-- Redis TIME in µs. Never behind `last_us` (the aggregate's field `clock`) for steps back of up
-- to 1 s; a larger step shows as it is, so that the monitor sees it.
local function now_us(last_us)
  local SECOND_US = 1000000
  local time = redis.call('TIME')
  local now = time[1] * SECOND_US + time[2]
  local last = tonumber(last_us) or 0
  if now < last and last - now <= SECOND_US then return last end
  return now
end

-- An integer as text: the default of Lua turns 1763693000123456 into 1.7636930001235e+15.
local function int(n)
  return string.format('%.0f', n)
end

-- The smallest score of the sorted sets that are named, or `latest` when none is smaller: when time
-- brings the aggregate something again.
local function earliest(latest, ...)
  for _, name in ipairs({ ... }) do
    local first = redis.call('ZRANGE', name, 0, 0, 'WITHSCORES')[2]
    if first and first + 0 < latest then latest = first + 0 end
  end
  return latest
end

-- nil, or the reason for which this script must not write: the data is two releases ahead.
-- Arguments: the fields script_version and script_sha of the tag's hash.
local function outdated(data_version, data_sha)
  if data_version and tonumber(data_version) > VERSION + 1 then
    return 'script outdated ' .. (data_sha or '')
  end
end

-- Keeps a history within its limit (`room` entries); what SQL has not taken yet is dropped and counted. Looks once
-- in 256 entries; `first_seq` is the last entry before this call.
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

-- Wakes those who watch an aggregate after its first change in each tenth of a second; `last`: the time of the change
-- before. A watcher reads again until nothing is new.
local function wake(tag, now, last)
  local ONCE_US = 100000
  if math.floor(now / ONCE_US) ~= math.floor(last / ONCE_US) then redis.pcall('PUBLISH', tag .. ':wake', '') end
end

-- Tells the timers to look at an aggregate: something may be due sooner than they know.
local function tell_timers(tag)
  redis.pcall('PUBLISH', 'timers:new', tag)
end

-- Keeps under its text what was read from it, for the calls to come: a library lives on, a script does not. All is
-- forgotten when there is too much of it.
local function remember(kept, text, value)
  local MOST = 1000
  if (kept.count or 0) >= MOST then
    for known in pairs(kept) do kept[known] = nil end
  end
  kept[text], kept.count = value, (kept.count or 0) + 1
end

-- What arguments must look like. Each operation checks all of its own before it reads or writes.

-- Digits alone, so many at most.
local function is_digits(text, most)
  return #text <= most and string.find(text, '^%d+$') ~= nil
end

local function is_flag(text)
  return text == '0' or text == '1'
end

-- No control characters: fields of records and of the history end in them.
local function is_text(text, longest)
  return #text <= longest and not string.find(text, '%c')
end

-- A whole number from least to most as a number; nil for anything else.
local function whole(text, least, most)
  local number = tonumber(text)
  if number and number >= least and number <= most and number % 1 == 0 then return number end
end
