/** Preloaded into a program: writes to stderr for how long, in milliseconds of CPU time, one turn of its event loop held it. */
const MIN_MS = 20;
const INTERVAL_MS = 2;

let before = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  const ms = Math.round((user + system) / 1000);
  if (ms >= MIN_MS) process.stderr.write(`held for ${ms} ms\n`);
  before = process.threadCpuUsage();
}, INTERVAL_MS).unref();
