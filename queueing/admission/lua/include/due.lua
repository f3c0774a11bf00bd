-- Permits with a deadline up to `due` have ended. A gate that workers watch: while none of them has
-- confirmed the clock for 3 s, it may have jumped ahead, and nobody's permit ends by it.
local due, checked = now, tonumber(call('HGET', GATE, 'checked'))
if checked and now - checked > 3000000 then due = checked end
