import { spawn } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const parent = process.ppid;
const isScriptOfNpm = process.env['npm_lifecycle_event'] !== undefined;
const stepEnvironment = { CI: 'true', TURBO_TELEMETRY_DISABLED: '1' };

const REPORT_INTERVAL_MS = 10_000;

/**
 * Runs one step of the preparation and reports every ten seconds that it goes on. If the step fails, prints its output
 * and exits with code 1.
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
export function prepare(title, command, args) {
  console.error(`${title} …`);
  const started = performance.now();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  const report = setInterval(() => console.error(`${title} … ${seconds()}`), REPORT_INTERVAL_MS);
  return new Promise((resolve) => {
    const { file, words, shell } = startable(command, args);
    const child = spawn(file, words, {
      env: { ...process.env, ...stepEnvironment },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell,
    });
    let isStopped = false;
    /** The step ends before the lock is released. @param {NodeJS.Signals} signal */
    const stop = (signal) => {
      isStopped = true;
      child.kill(signal);
    };
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
    for (const signal of signals) process.on(signal, stop);
    /** @type {string[]} */
    const output = [];
    child.stdout.on('data', (chunk) => output.push(String(chunk)));
    child.stderr.on('data', (chunk) => output.push(String(chunk)));
    child.on('error', (error) => output.push(error.message));
    child.on('close', (code) => {
      clearInterval(report);
      for (const signal of signals) process.off(signal, stop);
      if (code === 0 && !isStopped) {
        console.error(`${title}: done in ${seconds()}`);
        return resolve();
      }
      console.error(output.join(''));
      console.error(`${title} failed: ${command} ${args.join(' ')}`);
      process.exit(1);
    });
  });
}

/**
 * On Windows npm and pnpm are scripts, which only a shell starts. No argument of a step has blanks.
 * @param {string} command
 * @param {readonly string[]} args
 */
export function startable(command, args) {
  return process.platform === 'win32'
    ? { file: [command, ...args].join(' '), words: [], shell: true }
    : { file: command, words: [...args], shell: false };
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
  if (isScriptOfNpm) stopWithParent(child);
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
 *
 * A lock is a file `<path>.<number>` that contains a process id, and the highest number counts. A process takes the
 * lock by creating the next one. No file is removed, so two processes cannot both take over an ended one's lock.
 *
 * @param {string} path
 * @param {() => Promise<void>} work
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  let file = take(path);
  if (file === undefined) console.error('Waiting for another start in this folder …');
  while (file === undefined) {
    await sleep(500);
    file = take(path);
  }
  const own = file;
  const release = () => writeFileSync(own, 'released');
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/**
 * @param {string} path
 * @returns {string | undefined} the file of the lock, undefined if another process has it
 */
function take(path) {
  const prefix = `${basename(path)}.`;
  const files = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix));
  const highest = Math.max(0, ...files.map((name) => Number(name.slice(prefix.length)) || 0));
  if (isAlive(owner(`${path}.${highest}`))) return undefined;
  const file = `${path}.${highest + 1}`;
  const complete = `${path}-${process.pid}`;
  writeFileSync(complete, String(process.pid));
  try {
    // Unlike a write, a link appears with its content.
    linkSync(complete, file);
    return file;
  } catch {
    return undefined;
  } finally {
    rmSync(complete, { force: true });
  }
}

/** @param {string} file */
function owner(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {number | undefined} pid */
function isAlive(pid) {
  // A full disk leaves an empty file. In a container, a new process can have the number of an ended one.
  if (!pid || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
