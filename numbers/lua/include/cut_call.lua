-- Cuts st as cut_state does; of a number in a call, `cut` is where the call's part begins in it.
b, u, since = sub(st, 14, 14), sub(st, 27, 27), sub(st, 34, 49)
if sub(st, 28, 33) ~= ',"at":' then b = nil end
if b == '1' then
  cut = find(st, ',"call":[', 50, true)
  if cut then props = sub(st, 50, cut - 1) else b = nil end
elseif b == '0' then props = sub(st, 50, -2)
else b = nil end
