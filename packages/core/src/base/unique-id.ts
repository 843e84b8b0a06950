/** Two copies of core may run in one process. */
const copy = Math.floor(Math.random() * 36 ** 4).toString(36);
const prefix = `${Math.round(performance.timeOrigin * 1000).toString(36)}${copy}`;
let count = 0;

/** Returns an id that is unique on this machine. It is not a secret: secure randomness costs 4 ms of a cold start. */
export function uniqueId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}
