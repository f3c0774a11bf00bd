"""Chinese: thousands in groups of three, as browsers and banks write them (Django: none)."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
