-- Cuts st as cut_state does; of a number in a call, `tail` is what stands behind the properties. One
-- cut of each: a string costs Redis' Lua by its length.
b, u, since = sub(st, 14, 14), sub(st, 27, 27), sub(st, 34, 49)
if sub(st, 28, 33) ~= ',"at":' or (b ~= '0' and b ~= '1') then b = nil end
local cut = b == '1' and find(st, ',"session":', 50, true)
if cut then
  tail, props = sub(st, cut, -2), sub(st, 50, cut - 1)
else
  props = sub(st, 50, -2)
end
