-- The index in the pool's hash: what is stored about call IDs, callees, switches, contacts, vouchers, spellings and
-- regions (docs/reference/numbers/redis.md). One operation reads each field once and writes it once, in pool.close.
-- Until then:
--   known               field → value, false if the field does not exist
--   changed             field → new value
local index = {}

index.AT_ONCE = 500 -- fields in one command

function index.get(field)
  local value = index.known[field]
  if value == nil then
    value = redis.call('HGET', pool.tag, field)
    index.known[field] = value
  end
  return value
end

-- Reads fields that will be needed, in one command.
function index.fetch(fields)
  if #fields == 0 then return end
  local found = redis.call('HMGET', pool.tag, unpack(fields))
  for place = 1, #fields do
    local field = fields[place]
    if index.known[field] == nil then index.known[field] = found[place] end
  end
end

function index.set(field, value)
  index.known[field], index.changed[field] = value, value
end

function index.remove(field)
  index.known[field], index.changed[field] = false, nil
  redis.call('HDEL', pool.tag, field)
end

-- Writes the changed fields before other code reads the hash.
function index.flush()
  local fields, count = {}, 0
  for field, value in pairs(index.changed) do
    fields[count + 1], fields[count + 2] = field, value
    count = count + 2
    if count >= index.AT_ONCE then
      redis.call('HSET', pool.tag, unpack(fields))
      fields, count = {}, 0
    end
  end
  if count > 0 then redis.call('HSET', pool.tag, unpack(fields)) end
  index.changed = {}
end
