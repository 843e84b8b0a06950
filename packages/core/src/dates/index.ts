/** Dates and times on the local clock, for code that does not depend on MCP. */
export {
  DAY,
  dayOfWeek,
  daysSinceEpoch,
  formatDate,
  formatDateTime,
  HOUR,
  localTime,
  MINUTE,
  parseWallTime,
  startOfDay,
  type WallTime,
} from './wall-clock.ts';
