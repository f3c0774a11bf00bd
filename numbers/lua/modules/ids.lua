-- The state of a call ID, in the index under c:<call ID>:
--   running   in a call; number
--   ended     at (µs, text); number, '' if it was ended before it began
--   blocked   at; no number was free for it, and this was counted
--   waiting   until (µs, text), ticket (14 digits); counted: it was blocked before
--   offered   the same, and number, which is reserved for this call for a second
local ids = {}

ids.KIND = { L = 'running', E = 'ended', B = 'blocked', W = 'waiting', O = 'offered' }
ids.KEPT_US = 600000000 -- how long ended and blocked IDs are remembered
ids.TURN = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d)([01])(.*)$'

-- Returns nil if the ID has no state. The state may have expired: see ids.known.
function ids.read(id)
  local record = id ~= '' and index.get('c:' .. id)
  return record and ids.parse(record) or nil
end

function ids.parse(record)
  local kind, rest = ids.KIND[string.sub(record, 1, 1)], string.sub(record, 2)
  if kind == 'running' then return { kind = kind, number = rest } end
  if kind == 'ended' or kind == 'blocked' then
    local at, number = string.match(rest, '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(.*)$')
    return { kind = kind, at = at, number = number }
  end
  local ends, ticket, counted, number = string.match(rest, ids.TURN)
  return { kind = kind, ends = ends, ticket = ticket, counted = counted == '1', number = number }
end

-- Like ids.read, without expired states. When the clock jumps ahead, ended calls are still remembered.
function ids.known(id)
  local known = ids.read(id)
  if not known or not known.at then return known end
  local age = pool.now - known.at
  if age >= ids.KEPT_US then age = age - clock.contacts_lag() end
  if age < ids.KEPT_US then return known end
end

-- The call's turn if it is waiting or a number is offered to it, otherwise nil.
function ids.turn(id)
  local known = ids.read(id)
  if known and known.ticket then return known end
end

function ids.begin(id, number)
  index.set('c:' .. id, 'L' .. number)
end

-- number: '' if it is not known.
function ids.finish(id, number)
  index.set('c:' .. id, 'E' .. pool.at .. number)
end

function ids.block(id)
  index.set('c:' .. id, 'B' .. pool.at)
end

-- Stores the turn of a waiting call, or of a call that is offered this number.
function ids.keep_turn(id, turn, number)
  index.set('c:' .. id, (number and 'O' or 'W') .. turn.ends .. turn.ticket .. (turn.counted and '1' or '0')
    .. (number or ''))
end
