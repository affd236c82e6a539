// Tells the server the browser's time zone, in which the next page writes its times; see accounts/zones.py.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; SameSite=Lax`;
