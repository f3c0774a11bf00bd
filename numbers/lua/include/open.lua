-- Opens the pool for scripts that ask for nothing else at once.
--@include names
local pool = call('HMGET', POOL, 'conf', 'seq', 'clock', 'carried', 'script_version')
--@include opened
