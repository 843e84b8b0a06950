import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const parent = process.ppid;
const stepEnvironment = { CI: 'true', TURBO_TELEMETRY_DISABLED: '1' };

/**
 * Runs one step of the preparation. If the step fails, prints its output and exits with code 1.
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
export function prepare(title, command, args) {
  console.error(`${title} …`);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...stepEnvironment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {string[]} */
    const output = [];
    child.stdout.on('data', (chunk) => output.push(String(chunk)));
    child.stderr.on('data', (chunk) => output.push(String(chunk)));
    child.on('error', (error) => output.push(error.message));
    child.on('close', (code) => {
      if (code === 0) return resolve();
      console.error(output.join(''));
      console.error(`${title} failed: ${command} ${args.join(' ')}`);
      process.exit(1);
    });
  });
}

/**
 * Runs a program with the terminal, the signals and the exit code of this process.
 * @param {string} command
 * @param {readonly string[]} args
 */
export function handOver(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      const terminalSentItToBoth = signal === 'SIGINT' && process.stdin.isTTY;
      if (!terminalSentItToBoth) child.kill(signal);
    });
  }
  if (process.env['npm_lifecycle_event'] !== undefined) stopWithParent(child);
  child.on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}

/**
 * Signals that end npm and its shell do not reach this process, so watch the parent.
 * @param {import('node:child_process').ChildProcess} child
 */
function stopWithParent(child) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
}

/**
 * One process at a time prepares this folder; others wait. The lock of a process that has ended is ignored.
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
