"""English: 27 Nov, 07:43. Django's own filters use the formats with Django's names, too."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
MONTH_DAY_FORMAT = "j M"
TIME_FORMAT = "H:i"
YEAR_MONTH_FORMAT = "F Y"

# Names of this project; see poolsite.dates.
DATETIME_EXACT_FORMAT = "j M Y, H:i:s"
MOMENT_FORMAT = "j M, H:i"
MOMENT_EXACT_FORMAT = "j M, H:i:s"
SHORT_YEAR_MONTH_FORMAT = "M Y"
TIME_EXACT_FORMAT = "H:i:s"
WEEKDAY_FORMAT = "D j M"
WEEKDAY_DATE_FORMAT = "D j M Y"
