--[[ billing/report
Purpose: Takes up to 32 status reports of the gateway, in order. Only a final report moves money. A report for an
  unknown message is parked until its hold comes.
KEYS as billing/hold
ARGV[1+] reports          for each: message id; i interim, u without a readable mode, f finally failed,
  d and the mode: finally delivered; of a call's interval "dcall=<units>/<seconds>", what it costs at most
Reply: as billing/hold
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed report"
Complexity: O(reports × log n)
Full server: runs
Version: 1
]]
local WORDS = 2
if #ARGV == 0 or #ARGV % WORDS ~= 0 or #ARGV > checks.MOST_MESSAGES * WORDS then
  return checks.refusal('malformed batch')
end
local ids = {}
for first = 1, #ARGV, WORDS do
  local id, word = ARGV[first], ARGV[first + 1]
  if not checks.is_id(id) or not reports.is_word(word) then return checks.refusal('malformed report') end
  ids[#ids + 1] = id
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

messages.read(ids)
local reply = replies.new()
for place = 1, #ids do
  local answer, message, flag = reports.take(ids[place], ARGV[WORDS * place])
  replies.add(reply, answer, message, flag)
end
return replies.close(reply)
