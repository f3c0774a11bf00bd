-- Picks the number for a call that asks for none: the one the callee was last called from, one near the callee, or the
-- one that has rested longest.
local picking = {}

picking.NEAR_LOOKS = 1000 -- numbers that are down or deleted; each is dropped when it is met
picking.YEAR_2020_US = 1577836800000000 -- before any time in a region's band
picking.IDLE_LOOKS = 16 -- members of the idle set that contradict their state

-- Returns the number's state, the rule by which it was picked, and whether it was removed from the idle set, or nil if
-- no number is free. If due work may free a number, this is done first and the search repeated.
function picking.pick()
  local state, rule, is_out = picking.look()
  if not state and upkeep.catch_up() then
    if pool.conf.special then waiting.serve() end
    state, rule, is_out = picking.look()
  end
  return state, rule, is_out
end

function picking.look()
  local state = event.callee ~= '' and event.is_sticky and picking.sticky()
  if state then return state, 'sticky', false end
  state = event.area ~= '' and pool.conf.near and picking.near()
  if state then return state, 'near', false end
  state = picking.longest()
  if state then return state, 'longest', true end
end

function picking.sticky()
  local number = sticky.number(event.callee)
  local state = number and states.read(number)
  if state and states.can_be_picked(state) and state.since + 0 <= pool.now then return state end
end

function picking.near()
  local region = regions.known(event.area)
  if not region then return nil end
  local from, to = idle.score(region, picking.YEAR_2020_US), idle.score(region, math.floor(pool.now / 1000) * 1000)
  for _ = 1, picking.NEAR_LOOKS do
    local number = redis.call('ZRANGEBYSCORE', pool.tag .. ':idle:near', from, to, 'LIMIT', 0, 1)[1]
    if not number then return nil end
    local state = states.read(number)
    if state and states.can_be_picked(state) then return state end
    idle.remove_near(number)
  end
end

-- A member that contradicts its state is dropped, as reconcile would.
function picking.longest()
  for _ = 1, picking.IDLE_LOOKS do
    local popped = redis.call('ZPOPMIN', pool.tag .. ':idle:up')
    local number, since = popped[1], popped[2]
    if not number then return nil end
    if since + 0 > pool.now then
      redis.call('ZADD', pool.tag .. ':idle:up', since, number)
      return nil
    end
    local state = states.read(number)
    if state and states.can_be_picked(state) then return state end
  end
end
