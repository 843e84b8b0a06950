import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const parent = process.ppid;
const stepEnvironment = { CI: 'true', TURBO_TELEMETRY_DISABLED: '1' };

/**
 * Runs one step of the preparation. Its output is shown only if it fails, and then the whole program ends.
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
 * Runs a program in the place of this one: same terminal, same signals, same exit code.
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
 * A signal to npm ends npm and its shell, and never gets here.
 * @param {import('node:child_process').ChildProcess} child
 */
function stopWithParent(child) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
}
