const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

/** Fills each `<time>` with its local time, and with the weekday if it is not today. */
export function showTimes() {
  const today = new Date().toDateString();
  for (const element of document.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    const format = at.toDateString() === today ? timeOfDay : dayAndTime;
    element.textContent = format.format(at);
  }
}

/** How long ago a time was, in words. */
export function age(iso) {
  const minutes = Math.floor((Date.now() - Date.parse(iso)) / 60_000);
  if (minutes < 1) return 'just now';
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}
