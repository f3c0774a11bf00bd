--[[ numbers/label
Purpose: Sets the regions of numbers, by which near numbers are picked.
KEYS as numbers/event
ARGV[1+] rows               number, region ("" = none), number, region, …; at most 1 000 numbers
Reply: [1, numbers changed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed rows"
Complexity: O(rows × log n)
Version: 1
]]
local MOST = 2000 -- arguments
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > MOST then return pool.refusal('malformed rows') end
for place = 1, #ARGV, 2 do
  if not regions.is_name(ARGV[place + 1]) then return pool.refusal('malformed rows', ARGV[place]) end
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end

-- Whether the number's region has changed.
local function label(number, name)
  local state = states.read(number)
  local region = state and name ~= '' and regions.number(name) or nil
  if not state or state.region == region then return false end
  state.region = region
  states.write(state)
  if pool.conf.near then
    idle.remove_near(number)
    if states.can_be_picked(state) then idle.add(state) end
  end
  return true
end

local changed = 0
for place = 1, #ARGV, 2 do
  if label(ARGV[place], ARGV[place + 1]) then changed = changed + 1 end
end
pool.close()
return { '1', string.format('%d', changed), '', '' }
