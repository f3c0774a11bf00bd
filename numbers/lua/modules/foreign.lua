-- States in another layout: written by hand ({"callstate":0,"regstate":1}) or by an earlier release. Unknown fields are
-- preserved.
-- Rarely needed.
local foreign = {}

foreign.OURS = { callstate = true, regstate = true, at = true, call = true, held = true, why = true, region = true,
  day = true, used = true, last = true, ['until'] = true }

-- The state, or nil. The number may be picked from its time in the idle set, or from now.
function foreign.parse(number, text)
  local is_json, object = pcall(cjson.decode, text)
  if not is_json or type(object) ~= 'table' then return nil end
  local busy, up = tonumber(object.callstate), tonumber(object.regstate)
  if (busy ~= 0 and busy ~= 1) or (up ~= 0 and up ~= 1) then return nil end
  local since = redis.call('ZSCORE', pool.tag .. ':idle:up', number)
  return {
    number = number,
    is_busy = busy == 1,
    is_up = up == 1,
    since = since and string.format('%d', since) or pool.at,
    held = '',
    why = '',
    props = foreign.props(object),
    call = busy == 1 and foreign.call(object.call) or '',
  }
end

function foreign.props(object)
  local props = ''
  for name, value in pairs(object) do
    if type(name) == 'string' and not foreign.OURS[name] then
      local text = type(value) == 'string' and '"' .. texts.json(value) .. '"' or cjson.encode(value)
      props = props .. ',"' .. texts.json(name) .. '":' .. text
    end
  end
  return props
end

-- A call in our layout. Fields that are missing or not a text become empty.
function foreign.call(object)
  local theirs = type(object) == 'table' and object or {}
  local session = tonumber(theirs[1])
  if not session or session < leases.NO_SWITCH or session > lapsing.LAST_SESSION then session = leases.NO_SWITCH end
  local call = ',"call":[' .. string.format('%d', session)
  for place = 2, 6 do
    call = call .. ',"' .. (type(theirs[place]) == 'string' and texts.json(theirs[place]) or '') .. '"'
  end
  return call .. (theirs[7] == 'in' and ',"in"]' or ']')
end
