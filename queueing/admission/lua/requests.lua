--[[ admission/requests
Purpose: Up to 32 requests of named holders in one call, done in their order: the gate is read and
  written once for all of them.
KEYS as admission/acquire
ARGV[1+] requests        acquire, renew or release, then what that operation takes, with a tab between
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
    local malformed = rest ~= '' and 'malformed request' or holders.malformed_acquire(holder)
    if malformed then return checks.refusal(malformed) end
    return holders.acquire(holder, gate.field('=' .. holder))
  elseif verb == 'renew' then
    local malformed = holders.malformed_renew(holder, rest)
    if malformed then return checks.refusal(malformed) end
    return holders.renew(holder, gate.field('=' .. holder), rest)
  elseif verb == 'release' then
    local token, ok, took_ms = string.match(rest, '^([^\t]*)\t([^\t]*)\t([^\t]*)$')
    if not token then return checks.refusal('malformed request') end
    local malformed = holders.malformed_release(holder, token, ok, took_ms)
    if malformed then return checks.refusal(malformed) end
    return holders.release(holder, gate.field('=' .. holder), token, ok, took_ms)
  end
  return checks.refusal('malformed request')
end

local reply = {}
for place = 1, #ARGV do reply[place] = table.concat(answer(ARGV[place]), '\t') end
gate.close()
return reply
