-- ARGV holds message ids, 1 to 32; ends the script when one is none.
local ids = {}
if #ARGV == 0 or #ARGV > 32 then return { '-1', 'malformed batch' } end
for i = 1, #ARGV do
  local id = ARGV[i]
  if id == '' or #id > 80 or find(id, '[^!-~]') then return { '-1', 'malformed id' } end
  ids[i] = id
end
