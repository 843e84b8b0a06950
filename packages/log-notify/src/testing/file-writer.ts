import { notification } from '../message/notification.ts';
import { JsonLinesFile } from '../sinks/file/json-lines-file.ts';

/** Writes numbered notifications to a file as a server does, as fast as it can: `path label count maxSize keep`. */
const [path = '', label = '', count = '0', maxSize = '0', keep = '1'] = process.argv.slice(2);
const sink = new JsonLinesFile({ path, maxSize: Number(maxSize), keep: Number(keep) });
const BATCH = 20;

process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
for (let first = 0; first < Number(count); first += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, Number(count) - first) }, (_, index) =>
    notification(
      { level: 'info', context: 'llm', message: `${label} ${first + index} ${'x'.repeat(index * 10)}` },
      Date.now(),
    ),
  );
  await sink.deliver(batch);
}
await sink.close();
