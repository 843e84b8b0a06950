/** Dates and times on the local clock, and as arguments of tools. */
export {
  DAY,
  dayOfWeek,
  formatDate,
  formatDateTime,
  HOUR,
  localDateTime,
  localIso,
  localTime,
  MINUTE,
  parseWallTime,
  startOfDay,
  type WallTime,
} from './wall-clock.ts';
