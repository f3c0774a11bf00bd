--[[ hotpath/adopt
Purpose: makes a release's script version and SHA those of an aggregate, never backwards, so that
  older scripts can name their successor.
KEYS[1] {tag}  HASH  script_version, script_sha
ARGV[1] version  whole number from 1
ARGV[2] sha1     of the script that outsiders call
Reply: ['1' taken | '0' no such aggregate, or it has a newer version]
Errors: none
Complexity: O(1)
Version: 1
]]
local found = redis.call('HMGET', KEYS[1], 'generation', 'script_version')
if not found[1] or (found[2] and tonumber(found[2]) > tonumber(ARGV[1])) then return {'0'} end
redis.call('HSET', KEYS[1], 'script_version', ARGV[1], 'script_sha', ARGV[2])
return {'1'}
