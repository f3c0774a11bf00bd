"""Rate limits too high for the load of any test, benchmark or chaos run, all from one address.

The tests of the limits set their own.
"""

PLENTY = "1000000"
GENEROUS = {
    **{f"POOLSITE_RATE_PER_{who}": PLENTY for who in ("TOKEN", "ACCOUNT", "USER", "ADDRESS")},
    "POOLSITE_BAD_TOKENS_PER_ADDRESS": PLENTY,
}
