"""The agenda: each due aggregate is returned once, the longest overdue first."""

from hypothesis import given
from hypothesis import strategies as st

from poolsite.timers import Agenda

TAGS = st.sampled_from(["{a}", "{b}", "{c}", "{gate.d}"])
PUT = st.tuples(TAGS, st.integers(0, 20))
POP = st.tuples(st.integers(0, 20), st.integers(1, 3))


@given(st.lists(st.one_of(PUT, POP), max_size=40))
def test_it_agrees_with_a_plain_dictionary(steps):
    agenda, model = Agenda(), {}
    for first, second in steps:
        if isinstance(first, str):
            agenda.put(first, second)
            model[first] = min(second, model.get(first, second))
        else:
            taken = agenda.pop(first, second)
            due = sorted((at, tag) for tag, at in model.items() if at <= first)
            assert taken == due[:second]
            for _, tag in taken:
                del model[tag]
        assert len(agenda) == len(model)
        assert agenda.next_due() == min(model.values(), default=None)
        assert all(tag in agenda for tag in model)
