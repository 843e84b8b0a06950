const DAY = 86_400;

/** Seconds that the local clock is ahead of UTC: Central European time, and two trips to Singapore a year. */
export function offsetAt(utc: number): number {
  const date = new Date(utc * 1000);
  const year = date.getUTCFullYear();
  if (isTrip(date)) return 8 * 3600;
  return utc >= turnOfClock(year, 2) && utc < turnOfClock(year, 9) ? 7200 : 3600;
}

/** `yyyy-MM-dd HH:mm:ss` */
export function stamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

export function utcMidnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000;
}

/** The last Sunday of March or October, 01:00 UTC. */
function turnOfClock(year: number, month: number): number {
  const last = Date.UTC(year, month + 1, 0) / 1000;
  return last - new Date(last * 1000).getUTCDay() * DAY + 3600;
}

function isTrip(date: Date): boolean {
  const inMonth = date.getUTCMonth() === 1 || date.getUTCMonth() === 5;
  return inMonth && date.getUTCDate() >= 10 && date.getUTCDate() < 15;
}
