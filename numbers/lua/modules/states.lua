-- The state of a number, kept as JSON in {pool}:numstate:
--   number, is_busy, is_up
--   since       µs as text: the start of its call, or the time from which it may be picked
--   held, why   letters of what keeps it from being picked, and the reason (of an offer: the call id)
--   region      the region's number; nil = none
--   props       the rest: uses on a day, the last agent, and fields of others, as they are kept
--   call        the call as it is kept, with its marks (calls.lua); '' = none
local states = {}

states.LAYOUT = '^{"callstate":([01]),"regstate":([01]),"at":(%d+)(.*)}$'
states.HELD = '^,"held":"(%a*)","why":"([^"]*)"(.*)$'
states.REGION = '^,"region":(%d%d%d%d)(.*)$'
states.QUARANTINED = 'q'
states.UNCONFIRMED = 'u' -- SQL does not have it yet
states.OLD_CALL = 'x' -- it was deleted in a call and added again
states.OFFERED = 'o'

-- The state that a text tells; nil when it cannot be read. A layout that another hand wrote is understood; the next
-- writing brings it into ours.
function states.parse(number, text)
  local busy, up, since, props = string.match(text, states.LAYOUT)
  if not busy then return foreign.parse(number, text) end
  local held, why, call, region = '', '', '', nil
  local its_held, its_why, rest = string.match(props, states.HELD)
  if its_held then held, why, props = its_held, its_why, rest end
  if busy == '1' then
    local begin = string.find(props, ',"call":[', 1, true)
    if not begin then return foreign.parse(number, text) end
    call, props = string.sub(props, begin), string.sub(props, 1, begin - 1)
  end
  local its_region, others = string.match(props, states.REGION)
  if its_region then region, props = its_region, others end
  return {
    number = number,
    is_busy = busy == '1',
    is_up = up == '1',
    since = since,
    held = held,
    why = why,
    region = region,
    props = props,
    call = call,
  }
end

-- The state of a number that comes into the pool.
function states.new(number, is_up, held, why, region)
  return { number = number, is_busy = false, is_up = is_up, since = pool.at, held = held, why = why, region = region,
    props = '', call = '' }
end

-- The number's state, or nil; then the text shows whether there is one that cannot be read.
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

-- The state's name in replies; nil = there is none.
function states.name(state)
  if not state then return 'nodata' end
  return (state.is_busy and 'busy' or 'idle') .. (state.is_up and '+up' or '+down')
end

-- The name of a number's state, which may be one that cannot be read.
function states.name_of(number)
  if number == '' then return '' end
  return states.name(states.read(number))
end

-- The state's code in the history, without the marks of its call.
function states.code(state)
  return (state.is_busy and 'b' or 'i') .. states.line(state)
end

-- The same without whether it is in a call.
function states.line(state)
  return (state.is_up and 'u' or 'd') .. state.held
end

function states.is_held(state, letter)
  return string.find(state.held, letter, 1, true) ~= nil
end

-- Takes one letter off what holds the number.
function states.release(state, letter)
  state.held = string.gsub(state.held, letter, '')
  if state.held == '' then state.why = '' end
end

function states.can_be_picked(state)
  return not state.is_busy and state.is_up and state.held == ''
end
