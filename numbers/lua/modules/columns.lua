-- How the columns of a pool's settings are written (settings.lua reads them).
-- Rarely needed.
local columns = {}

-- where columns that are written alone begin; those from near to log_limit are written together
columns.PLACES = { status = 1, near = 2, special = 4, day = 84, looks = 104, next_call = 120, put_back = 200 }
columns.WRITTEN = 102 -- bytes from near to log_limit
columns.PATTERN = '^[01][01]0|%d+$' -- of the columns from near to log_limit, with special = 0
columns.RULES = { lend = true, confirm = true, refuse = true } -- what happens to a number that the event add brings

-- The settings' text with other columns, from the named one on.
function columns.with(text, column, value)
  local from = columns.PLACES[column]
  return string.sub(text, 1, from - 1) .. value .. string.sub(text, from + #value)
end

-- Whether a text has the form of the columns that Python writes.
function columns.are_columns(text)
  return #text == columns.WRITTEN and string.find(text, columns.PATTERN) ~= nil
end

-- The settings' text with the columns that Python writes. `special` belongs to the events and is not changed.
function columns.configured(text, written)
  local special = settings.read(text).special and '1' or '0'
  return columns.with(columns.with(text, 'near', written), 'special', special)
end

-- The settings of a new pool. The first event calculates the end of the day.
function columns.first(status, written)
  local text = status .. written .. string.rep('0', settings.BYTES - 1 - #written)
  return columns.with(text, 'looks', columns.time(settings.read(text).day_us))
end

-- A time or a duration in µs as a column of 16 digits.
function columns.time(microseconds)
  return string.format('%016d', microseconds)
end
