--[[ dispatch/names
Purpose: Reads every name: its manual state, its upgrade flag, and the instance registered under it.
KEYS as dispatch/start
Reply: [1, then six words for each: name, manual state, upgrade flag, back or "", until or "", 1 = backup]
Errors: [-1, reason]: "no such group", "script outdated …"
Complexity: O(names)
Version: 1
]]
local refusal = group.open(KEYS[1])
if refusal then return refusal end

local reply = { '1' }
for _, name in ipairs(names.all()) do
  reply[#reply + 1] = name.name
  reply[#reply + 1] = names.LETTER[name.manual]
  reply[#reply + 1] = name.is_upgrading and '1' or '0'
  reply[#reply + 1] = name.back
  reply[#reply + 1] = name.ends_at
  reply[#reply + 1] = names.is_backup(name.name) and '1' or '0'
end
return reply
