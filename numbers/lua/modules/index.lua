-- The index in the pool's hash: what is known of call ids, callees, switches, contacts, vouchers,
-- spellings and regions (docs/reference/numbers/redis.md). A call reads a field once and writes it once, when
-- the pool is closed; in between:
--   known               field → its value, false = it is not there
--   changed             field → the value that is to be written
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

-- Reads fields that will be asked for, in one command.
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

-- Writes what has changed, before somebody reads the hash itself.
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
