-- Cuts st, a state in our layout, into b u since props; b = nil when another hand wrote it.
b, u, since, props = sub(st, 14, 14), sub(st, 27, 27), sub(st, 34, 49), sub(st, 50, -2)
if sub(st, 28, 33) ~= ',"at":' or (b ~= '0' and b ~= '1') then b = nil end
