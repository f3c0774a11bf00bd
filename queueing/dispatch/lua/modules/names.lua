-- Names of instances, {disp}:names: the state that operators and upgrades set, and the instance registered under it.
--   manual        open, drain or blocked, as set by an operator; ends_at: µs at which it opens again, or ''
--   is_upgrading  an upgrade drains it
--   back          the ID of the instance, or ''; weight: of its points on the ring (ring.lua), or '' if it has none
-- {disp}:backups has the names of backup instances, which get sessions while no other instance can.
-- Rarely needed.
local names = {}

names.RECORD = '^(%a)\t(%d)\t(%C*)\t(%d*)\t(%d*)$'
names.MANUAL = { o = 'open', d = 'drain', b = 'blocked' }
names.LETTER = { open = 'o', drain = 'd', blocked = 'b' }

function names.parse(name, record)
  local letter, upgrading, back, ends_at, weight = string.match(record, names.RECORD)
  return {
    name = name,
    manual = names.MANUAL[letter],
    is_upgrading = upgrading == '1',
    back = back,
    ends_at = ends_at,
    weight = weight,
  }
end

function names.record(name)
  return table.concat({ names.LETTER[name.manual], name.is_upgrading and '1' or '0', name.back, name.ends_at,
    name.weight }, '\t')
end

function names.write(name)
  redis.call('HSET', group.tag .. ':names', name.name, names.record(name))
end

-- A name for which nothing is set.
function names.new(name)
  return { name = name, manual = 'open', is_upgrading = false, back = '', ends_at = '', weight = '' }
end

-- Returns nil if the name does not exist.
function names.of(name)
  local record = redis.call('HGET', group.tag .. ':names', name)
  return record and names.parse(name, record) or nil
end

function names.all()
  local all, flat = {}, redis.call('HGETALL', group.tag .. ':names')
  for place = 1, #flat, 2 do all[#all + 1] = names.parse(flat[place], flat[place + 1]) end
  return all
end

function names.is_backup(name)
  return redis.call('HEXISTS', group.tag .. ':backups', name) == 1
end

-- The instance that is registered under the name, or nil.
function names.instance(name)
  return name.back ~= '' and peers.back(name.back) or nil
end

-- Removes an instance from a name, if it is registered there.
function names.vacate(name, id)
  local its = names.of(name)
  if its and its.back == id then
    its.back = ''
    names.write(its)
  end
end

-- The group's field `until` is the earliest time at which a drain, a block or an ejection ends, or earlier; '' = none
-- has an end; missing in data of an older release.
function names.set_until(ends_at)
  group.until_at = ends_at
  group.set('until', ends_at)
end

function names.note_end(ends_at)
  local first = group.until_at
  if ends_at ~= '' and (not first or first == '' or ends_at + 0 < first + 0) then names.set_until(ends_at) end
end

-- Opens names whose time has passed, and ends ejections. O(1) while none is due, O(names) if one may be.
function names.open_due()
  local first = group.until_at
  if group.is_deaf or (first and (first == '' or first + 0 > group.now)) then return end
  first = ''
  for _, name in ipairs(names.all()) do
    if name.manual ~= 'open' and name.ends_at ~= '' then
      if name.ends_at + 0 <= group.now then
        names.open(name)
      elseif first == '' or name.ends_at + 0 < first + 0 then
        first = name.ends_at
      end
    end
  end
  names.set_until(health.restore_due(first))
end

function names.open(name)
  local before = name.manual
  name.manual, name.ends_at = 'open', ''
  names.write(name)
  local back = names.instance(name)
  if back then ready.settle(back) end
  group.log('open', back and back.key, name.name, before, '0', 'its time has passed')
end
