--[[ admission/destroy
Purpose: Deletes a gate's data.
KEYS as admission/show
ARGV[1] generation       of the data that is to go; newer data stays
Reply: [1, "", "", ""]; reason "repeat" = there is none
Errors: -1 "other generation <n>", "malformed generation"
Complexity: O(1); O(n) in the background
Full server: runs
Version: 1
]]
local tag, generation = KEYS[1], ARGV[1] or ''
if not is_digits(generation, checks.TOKEN_DIGITS) then return checks.refusal('malformed generation') end
local there = redis.call('HGET', tag, 'generation')
if there and there + 0 > generation + 0 then return checks.refusal('other generation ' .. there) end
redis.call('UNLINK', unpack(gate.keys(tag)))
redis.pcall('PUBLISH', tag .. ':wake', '')
return { '1', '', '', there and '' or 'repeat' }
