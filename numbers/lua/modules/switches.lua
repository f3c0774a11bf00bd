-- Switches, in the index under w:<switch>: the current session, when the switch was last heard (s), and its
-- incarnation. For ended sessions, see lives.lua.
local switches = {}

switches.RECORD = 'c4c10'
switches.HEARD_S = 1

-- Returns name, session (text), heard (s), incarnation and the record they are from, or nil if the switch is unknown.
-- `last`: the switch that was read last. Most events are of the same one.
function switches.read(name)
  local record = name ~= '' and index.get('w:' .. name)
  if not record then return nil end
  local last = switches.last
  if last and last.record == record and last.name == name then return last end
  local session, heard, rest = struct.unpack(switches.RECORD, record)
  last = { name = name, session = session, heard = heard + 0, incarnation = string.sub(record, rest), record = record }
  switches.last = last
  return last
end

-- Stores the switch, which is heard now.
function switches.write(switch)
  switch.heard = math.floor(pool.now / settings.SECOND_US)
  switch.record = switch.session .. string.format('%010d', switch.heard) .. switch.incarnation
  index.set('w:' .. switch.name, switch.record)
end

-- Records that the event's switch is heard. Returns its session and whether calls of the earlier session must be
-- released, or nil and the reason for a refusal. `switch`: the stored switch, or nil.
function switches.hear(switch)
  if not switch or (event.incarnation ~= '' and switch.incarnation ~= event.incarnation) then
    return lives.meet(event.switch, event.incarnation, switch)
  end
  if switches.is_silent(switch) then switches.write(switch) end
  return switch.session, false
end

-- Whether the switch has not been heard in this second.
function switches.is_silent(switch)
  return math.abs(pool.now / settings.SECOND_US - switch.heard) >= switches.HEARD_S
end
