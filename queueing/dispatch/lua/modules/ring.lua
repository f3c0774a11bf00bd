-- {disp}:ring, for sharing by key: each name has 64 points for each unit of its weight, at positions of 32 bits. Each
-- SHA-1 gives five of them.
-- Rarely needed.
local ring = {}

ring.POINTS = 64
ring.DIGITS = 8 -- hexadecimal digits of a position
ring.POSITIONS = 5
ring.HEX = 16

function ring.remove(name)
  for point = 1, (tonumber(name.weight) or 0) * ring.POINTS do
    redis.call('ZREM', group.tag .. ':ring', name.name .. '#' .. point)
  end
end

-- Gives a name the points for a weight, replacing its earlier points.
function ring.place(name, weight)
  if name.weight == weight then return end
  ring.remove(name)
  name.weight = weight
  for first = 0, weight * ring.POINTS - 1, ring.POSITIONS do
    local digest = redis.sha1hex(name.name .. '#' .. first)
    for point = first, math.min(first + ring.POSITIONS, weight * ring.POINTS) - 1 do
      local begin = (point - first) * ring.DIGITS
      local position = tonumber(string.sub(digest, begin + 1, begin + ring.DIGITS), ring.HEX)
      redis.call('ZADD', group.tag .. ':ring', string.format('%d', position), name.name .. '#' .. (point + 1))
    end
  end
end
