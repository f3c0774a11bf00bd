-- Regions by name: g:<region> has the number of its band in {pool}:idle:near, G:<number> its name.
-- Rarely needed.
local regions = {}

regions.FIRST = 1001 -- all have four digits
regions.MOST = 6999
regions.NAME_BYTES = 40

-- The region's number, or nil if the pool has no region of that name.
function regions.known(name)
  return index.get('g:' .. name) or nil
end

-- The region's number, which is created if needed. Returns nil if there is no room.
function regions.number(name)
  local known = regions.known(name)
  if known then return known end
  local count = redis.call('HINCRBY', pool.tag, 'regions', 1)
  if count > regions.MOST then
    pool.count('regions', -1)
    return nil
  end
  local region = string.format('%d', regions.FIRST + count - 1)
  index.set('g:' .. name, region)
  index.set('G:' .. region, name)
  return region
end

function regions.is_name(text)
  return #text <= regions.NAME_BYTES and not string.find(text, '[^%w_.-]')
end
