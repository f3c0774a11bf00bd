// A visitor's page shows the visitor's own times; this stands before words.js reads the zone.
document.documentElement.dataset.zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
