--[[ line/joins
Purpose: Up to 32 visitors join in one call, in order, each as in line/join. The desk is read and written once for all
  of them.
KEYS as line/show
ARGV[1+] visitors       what line/join takes, with a tab between
Reply: for each visitor the words that line/join answers, with a tab between
Errors: "malformed joins", "no such desk", "script outdated …"; a visitor may be refused alone
Complexity: visitors × that of line/join
Version: 1
]]
local MOST = 32
local VISITOR = '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$'
if #ARGV == 0 or #ARGV > MOST then return { 'malformed joins' } end
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local reply = {}
for place = 1, #ARGV do
  local id, queue, class, needed, arrived, anyway = string.match(ARGV[place], VISITOR)
  reply[place] = id and table.concat(joining.join(id, queue, class, needed, arrived, anyway), '\t') or 'malformed join'
end
desk.close()
return reply
