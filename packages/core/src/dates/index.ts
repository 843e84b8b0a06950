/** The clock alone: for domain code, which knows nothing of MCP. */
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
