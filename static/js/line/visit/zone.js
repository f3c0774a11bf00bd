// A visitor's page shows times in the visitor's zone. This runs before words.js reads the zone.
document.documentElement.dataset.zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
