import { createNotification } from '../notification/notification.ts';
import { jsonLinesFile } from '../sinks/file/file.ts';

/** Writes numbered notifications to a file as fast as possible: `path label count maxSize keep`. */
const [path = '', label = '', count = '0', maxSize = '0', keep = '1'] = process.argv.slice(2);
const sink = jsonLinesFile({
  path,
  maxSize: Number(maxSize),
  keep: Number(keep),
  report: () => undefined,
});
const BATCH_SIZE = 20;

process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
for (let first = 0; first < Number(count); first += BATCH_SIZE) {
  const batch = Array.from({ length: Math.min(BATCH_SIZE, Number(count) - first) }, (_, index) =>
    createNotification(
      { level: 'info', context: 'llm', message: `${label} ${first + index} ${'x'.repeat(index * 10)}` },
      Date.now(),
    ),
  );
  await sink.deliver(batch);
}
