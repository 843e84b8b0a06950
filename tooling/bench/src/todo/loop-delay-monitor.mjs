// Loaded into the measured server with `--import`. SIGUSR2 prints the 99th percentile of the delays of the event loop since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const MILLISECOND = 1e6;
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
let printed = 0;
process.on('SIGUSR2', () => {
  const p99 = delays.percentile(99) / MILLISECOND;
  delays.reset();
  printed += 1;
  process.stderr.write(`loop delay ${printed}: ${p99}\n`);
});
