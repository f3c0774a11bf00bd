"""Chinese: 11月27日 07:43; thousands in groups of three, as browsers and banks write them."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3

DATE_FORMAT = "Y年n月j日"
DATETIME_FORMAT = "Y年n月j日 H:i"
MONTH_DAY_FORMAT = "n月j日"
TIME_FORMAT = "H:i"
YEAR_MONTH_FORMAT = "Y年n月"

# Names of this project; see poolsite.dates.
DATETIME_EXACT_FORMAT = "Y年n月j日 H:i:s"
MOMENT_FORMAT = "n月j日 H:i"
MOMENT_EXACT_FORMAT = "n月j日 H:i:s"
SHORT_YEAR_MONTH_FORMAT = "Y年n月"
TIME_EXACT_FORMAT = "H:i:s"
WEEKDAY_FORMAT = "n月j日D"
WEEKDAY_DATE_FORMAT = "Y年n月j日D"
