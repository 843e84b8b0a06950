/** A server of the tests as a separate program. `node fake-server.ts MODE`. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fakeBehavior } from './fake-behavior.ts';
import type { Incoming } from './scripted.ts';

const [, , mode = 'good'] = process.argv;
if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
  // In the same group, without pipes.
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  process.stderr.write(`pids ${process.pid} ${idle.pid}\n`);
}
if (mode === 'immortal') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => process.stderr.write('still here\n'), 1);
}
const handle = fakeBehavior(mode, {
  pid: process.pid,
  env: process.env,
  print: (text) => void process.stdout.write(text),
  exit: (code) => process.exit(code),
});
createInterface({ input: process.stdin }).on('line', (line) => handle(JSON.parse(line) as Incoming));
