import { StartError } from './start-error.ts';

/** The oldest Node the packages run on: older ones crash on the SQLite binding instead of saying so. */
const FLOOR = [22, 18] as const;

/** @throws StartError on a Node too old */
export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [floorMajor, floorMinor] = FLOOR;
  if (major > floorMajor || (major === floorMajor && minor >= floorMinor)) return;
  throw new StartError(
    `This program needs Node.js ${FLOOR.join('.')} or newer; this is ${version}. Get one from https://nodejs.org`,
  );
}
