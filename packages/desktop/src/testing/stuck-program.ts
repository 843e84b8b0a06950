/** A program whose main thread hangs: `busy` with work, or `asleep` for a second. */
import { startWatchdog } from '../holder/watchdog.ts';

startWatchdog({ tickMs: 20, stuckMs: 300, cpuMs: 200 });
setTimeout(() => {
  process.stdout.write('hangs\n');
  if (process.argv[2] === 'asleep') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    process.exit(0);
  }
  for (;;) Math.random();
}, 300);
