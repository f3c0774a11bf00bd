"""Rate limits that no load of a test, a bench or the chaos reaches: it comes from one address.

The tests of the limits set their own.
"""

PLENTY = "1000000"
GENEROUS = {
    **{f"POOLSITE_RATE_PER_{who}": PLENTY for who in ("TOKEN", "ACCOUNT", "USER", "ADDRESS")},
    "POOLSITE_BAD_TOKENS_PER_ADDRESS": PLENTY,
}
