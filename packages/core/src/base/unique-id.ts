/** Two copies of core may run in one process. */
const copy = Math.floor(Math.random() * 36 ** 7).toString(36);
/** Not the time origin of `performance`, whose first use costs 2 ms of a cold start. */
const prefix = `${Date.now().toString(36)}${copy}`;
let count = 0;

/** Returns an id that is unique on this machine. It is not a secret: secure randomness costs 4 ms of a cold start. */
export function uniqueId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}
