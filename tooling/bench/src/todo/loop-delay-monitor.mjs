// Loaded into the measured server with `--import`. SIGUSR2 prints the delays of the event loop since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const MILLISECOND = 1e6;
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
let printed = 0;
process.on('SIGUSR2', () => {
  const figures = { p99: delays.percentile(99) / MILLISECOND, max: delays.max / MILLISECOND };
  delays.reset();
  printed += 1;
  process.stderr.write(`loop delay ${printed}: ${JSON.stringify(figures)}\n`);
});
