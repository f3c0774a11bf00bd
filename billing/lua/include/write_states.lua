-- One command for each key, however many messages. A message that got a deadline and ended in
-- the same call has none: removals come last.
if sets[1] then call('HSET', MESSAGES, unpack(sets)) end
if due[1] then call('ZADD', DEADLINES, unpack(due)) end
if done[1] then call('ZREM', DEADLINES, unpack(done)) end
