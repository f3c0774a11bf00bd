-- Money is short: what open holds past their time have locked comes back first, a bounded piece of it. Out: money.
local states, sets, due, done, most = {}, {}, {}, {}, 500
--@include end_due
--@include write_states
