--@include silence
-- Who serves whom. Plain visitors and agents: one look at the head of an ordered set. With skills: one look for
-- each set of needs or profile that the desk has (at most 99 of each), never a scan of visitors or agents.
local texts = {}
local function text_of(field)
  local text = texts[field]
  if text == nil then
    text = call('HGET', DESK, field) or ''
    texts[field] = text
  end
  return text
end
-- Levels that a visitor needs fall by one for each `relax` µs of waiting, down to none.
local function could(need, profile, waited, relax)
  if need == 0 then return true end
  local has = ',' .. text_of('profile' .. profile)
  local steps = relax > 0 and math.max(0, math.floor(waited / relax)) or 0
  for name, level in gmatch(text_of('need' .. need), '([a-z0-9-]+):(%d)') do
    local wanted = level - steps
    if wanted > 0 then
      local own = match(has, ',' .. string.gsub(name, '%-', '%%-') .. ':(%d)')
      if not own or own + 0 < wanted then return false end
    end
  end
  return true
end
local function best_agent(v, q)
  local best, entry_of
  for profile = 0, profiles do
    if could(v.need + 0, profile, now - v.joined, q.relax) then
      local from = fmt('%06d%02d', q.id, profile)
      local entry = call('ZRANGEBYLEX', FREE, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
      if entry then
        local order = sub(entry, 9, 23) -- rooms, idle since
        if not best or order < best then best, entry_of = order, entry end
      end
    end
  end
  if entry_of then return sub(entry_of, 25), best end
end
local function best_visit(a)
  local best, id
  for queue in gmatch(a.queues, '%d+') do
    local q = queue_of(tostring(queue + 0))
    if q and q.mode ~= 'm' then
      for need = 0, needs do
        -- Each class by itself where needs relax with waiting: its head has waited longest.
        for class = need == 0 and 0 or 1, need == 0 and 0 or 9 do
          local from = fmt('%s%02d%s', queue, need, need == 0 and '' or class)
          local entry = call('ZRANGEBYLEX', READY, '[' .. from, '(' .. from .. '~', 'LIMIT', 0, 1)[1]
          if entry then
            local order, visit = sub(entry, 9, 25), sub(entry, 27) -- class, ticket
            if not best or order < best then
              local fits = need == 0
              if not fits then
                local v = visit_of(visit)
                fits = could(need, a.profile + 0, now - v.joined, q.relax)
              end
              if fits then best, id = order, visit end
            end
          end
        end
      end
    end
  end
  return id
end
local function begin_room(v, a, why)
  if not away_in_room(v) then v.token = '-' end -- handed over while its visitor is away: it stays away
  v.state, v.agent, v.since, v.word = 'r', a.id, int(now_ms), why
  add_slot(a, 'r' .. v.id)
  a.misses = 0
  call('ZREM', TIMERS, 'm' .. v.id, 'x' .. v.id)
  local d = delta(v)
  look_at_call(v)
  keep_visit(v)
  local waited = math.max(0, math.floor((now - v.joined) / 1000))
  log('room', 'v', v.id, 'a', a.id, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', why, 'ms', int(waited))
  tell('room', v.id, a.id)
  answered_total = int(answered_total + 1)
end
local function offer(v, a, q, why)
  v.state, v.agent, v.since, v.token, v.word = 'o', a.id, int(now_ms), int(seq + 1), why
  add_slot(a, 'o' .. v.id)
  call('ZADD', TIMERS, int(now_ms + q.offer), 'o' .. a.id)
  local d = delta(v)
  keep_visit(v)
  log('offer', 'v', v.id, 'a', a.id, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', why)
  tell('offer', v.id, a.id)
end
local function why_of(order, how)
  return how .. '_rooms_' .. (sub(order, 1, 2) + 0) .. '_idle_s_' .. math.max(0, math.floor((now_ms - sub(order, 3)) / 1000))
end
local function serve(v, a, q, why)
  if q.mode == 'o' then offer(v, a, q, why) else begin_room(v, a, why) end
end
-- The agent for a visitor, of those who are heard; silent ones are away from now on.
local function heard_agent(v, q)
  local id, order = best_agent(v, q)
  while id do
    local a = agent_of(id)
    if not agent_is_silent(a) then return a, order end
    if not may_pass_over() then return nil end
    agent_away(a)
    id, order = best_agent(v, q)
  end
end
-- A visitor that may be matched now looks for an agent. `v` is kept when it is matched, or silent and so away: true.
local function match_visit(v)
  local q = queue_of(v.queue)
  if v.state ~= 'w' or status ~= 'o' or not q or q.mode == 'm' then return false end
  local a, order = heard_agent(v, q)
  if not a then return false end
  if visitor_is_silent(v) then
    visitor_away(v)
    return true
  end
  serve(v, a, q, why_of(order, 'fewest_rooms_longest_idle'))
  keep_agent(a)
  return true
end
-- An agent with a free slot takes visitors until it is full, or is away when it is silent; the caller keeps `a`.
local function match_agent(a)
  while status == 'o' and stands(a) ~= '' do
    local id = best_visit(a)
    if not id then return end
    if agent_is_silent(a) then return agent_away(a) end
    local v = visit_of(id)
    if not visitor_is_silent(v) then
      serve(v, a, queue_of(v.queue), why_of(fmt('%02d%s', a.rooms, a.since), 'agent_became_free'))
    elseif may_pass_over() then
      visitor_away(v)
    else
      return
    end
  end
end
