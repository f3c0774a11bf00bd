-- The state of a number, stored as JSON in {pool}:numstate:
--   number, is_busy, is_up
--   since       µs as text: the start of its call, or the time from which it may be picked
--   held, why   letters for what keeps it from being picked, and the reason (of an offer: the call ID)
--   region      the region's number, or nil
--   props       other properties as stored: uses on a day, the last agent, unknown fields
--   call        the call as stored, with its marks (calls.lua), or ''
local states = {}

states.LAYOUT = '^{"callstate":([01]),"regstate":([01]),"at":(%d+)()'
states.HELD = '^,"held":"(%a*)","why":"([^"]*)"()'
states.REGION = '^,"region":(%d%d%d%d)()'
states.BRACE = 125
states.QUARANTINED = 'q'
states.UNCONFIRMED = 'u' -- it is not in SQL yet
states.OLD_CALL = 'x' -- it was deleted during a call and added again
states.OFFERED = 'o'

-- The state in this text, or nil if the text can't be read. A text in another layout is understood, and the next write
-- converts it to ours.
function states.parse(number, text)
  local busy, up, since, place = string.match(text, states.LAYOUT)
  if not busy or string.byte(text, -1) ~= states.BRACE then return foreign.parse(number, text) end
  local held, why, after_held = string.match(text, states.HELD, place)
  local region, after_region = string.match(text, states.REGION, after_held or place)
  local begin, call = #text, ''
  if busy == '1' then
    begin = string.find(text, ',"call":[', after_region or after_held or place, true)
    if not begin then return foreign.parse(number, text) end
    call = string.sub(text, begin, -2)
  end
  return {
    number = number,
    is_busy = busy == '1',
    is_up = up == '1',
    since = since,
    held = held or '',
    why = why or '',
    region = region,
    props = string.sub(text, after_region or after_held or place, begin - 1),
    call = call,
  }
end

-- The number's state and its text. A state that can't be read is nil, but has a text.
function states.read(number)
  local text = redis.call('HGET', pool.tag .. ':numstate', number)
  if not text then return nil, nil end
  return states.parse(number, text), text
end

function states.text(state)
  local held = state.held ~= '' and ',"held":"' .. state.held .. '","why":"' .. state.why .. '"' or ''
  local region = state.region and ',"region":' .. state.region or ''
  return '{"callstate":' .. (state.is_busy and '1' or '0') .. ',"regstate":' .. (state.is_up and '1' or '0') .. ',"at":'
    .. state.since .. held .. region .. state.props .. state.call .. '}'
end

function states.write(state)
  redis.call('HSET', pool.tag .. ':numstate', state.number, states.text(state))
end

function states.exists(number)
  return redis.call('HEXISTS', pool.tag .. ':numstate', number) == 1
end

-- The state's name in replies. Pass nil for a number without a state.
function states.name(state)
  if not state then return 'nodata' end
  return (state.is_busy and 'busy' or 'idle') .. (state.is_up and '+up' or '+down')
end

-- The name of a number's state, which may be unreadable.
function states.name_of(number)
  if number == '' then return '' end
  return states.name(states.read(number))
end

-- The state's code in the history, without the marks of its call.
function states.code(state)
  return (state.is_busy and 'b' or 'i') .. states.line(state)
end

-- The code without the letter that says whether the number is in a call.
function states.line(state)
  return (state.is_up and 'u' or 'd') .. state.held
end

function states.is_held(state, letter)
  return string.find(state.held, letter, 1, true) ~= nil
end

-- Removes one letter from `held`.
function states.release(state, letter)
  state.held = string.gsub(state.held, letter, '')
  if state.held == '' then state.why = '' end
end

function states.can_be_picked(state)
  return not state.is_busy and state.is_up and state.held == ''
end
