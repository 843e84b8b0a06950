import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * One process at a time prepares this folder; others wait. A lock whose owner died counts for nothing.
 * @param {string} path
 * @param {() => Promise<void>} work
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  if (!take(path)) console.error('Waiting for another start in this folder …');
  while (owner(path) !== process.pid) {
    await sleep(500);
    take(path);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/** @param {string} path */
function take(path) {
  if (!isAlive(owner(path))) rmSync(path, { force: true });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** @param {string} path */
function owner(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {number | undefined} pid */
function isAlive(pid) {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
