-- When an open hold ends, by which period: 1 unsent message, 2 unsent call, 3 report. In: st, conf. Out: period, ends.
local period = sub(st, 1, 1) == 's' and 3 or sub(st, 2, 2) == 'c' and 2 or 1
local ends = sub(st, 8, 23) + sub(conf, 21 + 7 * period, 27 + 7 * period) * 1000000
