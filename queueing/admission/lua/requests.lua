--[[ admission/requests
Purpose: Handles up to 32 requests of named holders, in order. The gate is read and written once for all of them.
KEYS as admission/acquire
ARGV[1+] requests        acquire, renew, release or leave, then what that operation takes, with a tab between
Reply: for each request the words that its operation answers, with a tab between
Errors: -1 "malformed requests", "no such gate", "script outdated …"; a row may be refused alone
Complexity: O(requests × log n)
Full server: runs what gives back
Version: 1
]]
local MOST = 32
if #ARGV == 0 or #ARGV > MOST then return checks.refusal('malformed requests') end
-- Redis looks at its memory before a script's first write, unless that is one that deletes; functions have a flag.
if not IS_FUNCTION and not string.find(ARGV[1], '^acquire\t') then redis.call('HDEL', KEYS[1], '') end
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

-- What one request is answered. It is checked here: a row that is malformed is refused alone.
local function answer(row)
  local verb, holder, rest = string.match(row, '^(%l+)\t([^\t]*)\t?(.*)$')
  if verb == 'acquire' then
    local weight, waits_flag = string.match(rest, '^([^\t]*)\t?([^\t]*)$')
    local malformed = not weight and 'malformed request' or holders.malformed_acquire(holder, weight, waits_flag)
    if malformed then return checks.refusal(malformed) end
    return holders.acquire(holder, gate.field('=' .. holder), weight, waits_flag)
  elseif verb == 'renew' then
    local token, weight = string.match(rest, '^([^\t]*)\t?([^\t]*)$')
    local malformed = not token and 'malformed request' or holders.malformed_renew(holder, token, weight)
    if malformed then return checks.refusal(malformed) end
    return holders.renew(holder, gate.field('=' .. holder), token, weight)
  elseif verb == 'release' then
    local token, ok, took_ms = string.match(rest, '^([^\t]*)\t([^\t]*)\t([^\t]*)$')
    if not token then return checks.refusal('malformed request') end
    local malformed = holders.malformed_release(holder, token, ok, took_ms)
    if malformed then return checks.refusal(malformed) end
    return holders.release(holder, gate.field('=' .. holder), token, ok, took_ms)
  elseif verb == 'leave' then
    local token, at = string.match(rest, '^([^\t]*)\t([^\t]*)$')
    local malformed = not token and 'malformed request' or holders.malformed_leave(holder, token, at)
    if malformed then return checks.refusal(malformed) end
    return holders.leave(holder, gate.field('=' .. holder), token, at)
  end
  return checks.refusal('malformed request')
end

local reply = {}
for place = 1, #ARGV do reply[place] = table.concat(answer(ARGV[place]), '\t') end
gate.close()
return reply
