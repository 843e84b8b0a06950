const two = (number: number) => String(number).padStart(2, '0');

/** `YYYY-MM-DD`, local. */
export function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `YYYYMMDD_HHMMSS`, local. */
export function stampOf(date: Date): string {
  return `${dayOf(date).replaceAll('-', '')}_${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}

/** ISO-8601 in local time, with its offset. */
export function localTimestamp(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}${offset}`;
}
