--[[ numbers/alias
Purpose: Records the stored spelling of numbers whose canonical form is different, so that events may use either. The
  numbers need not exist yet. The sweep deletes records of numbers that no longer exist.
KEYS[1] {pool}  HASH  as numbers/event
ARGV[1+] pairs              canonical form, stored spelling ("" = none any more), canonical form, …; at most 1 000 pairs
Reply: [1, pairs that are new or changed, "", ""]
Errors: -1 "no such pool", "script outdated …", "malformed pairs"
Complexity: O(pairs)
Version: 1
]]
local MOST = 2000 -- arguments
if #ARGV % 2 ~= 0 or #ARGV < 2 or #ARGV > MOST then return pool.refusal('malformed pairs') end
for place = 1, #ARGV, 2 do
  local canonical, stored = ARGV[place], ARGV[place + 1]
  if not spellings.is_number(canonical) then return pool.refusal('malformed pairs', canonical) end
  if stored ~= '' and not spellings.is_number(stored) then return pool.refusal('malformed pairs', stored) end
end
local fields = {}
for place = 1, #ARGV, 2 do fields[#fields + 1] = 'a:' .. ARGV[place] end
local refusal = pool.open(KEYS[1], fields)
if refusal then return refusal end
local changed = 0
for place, field in ipairs(fields) do
  local stored = ARGV[2 * place]
  if (index.get(field) or '') ~= stored then
    if stored == '' then index.remove(field) else index.set(field, stored) end
    changed = changed + 1
  end
end
index.flush()
return { '1', string.format('%d', changed), '', '' }
