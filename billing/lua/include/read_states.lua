-- The messages' states as they are stored, and the lists of what is to be written at the end:
-- sets (id, state, …), due (µs, id, …: deadlines to come), done (ids that have none any more).
local states, sets, due, done = {}, {}, {}, {}
if #ids == 1 then
  states[ids[1]] = call('HGET', MESSAGES, ids[1])
else
  local found = call('HMGET', MESSAGES, unpack(ids))
  for k = 1, #ids do states[ids[k]] = found[k] end
end
