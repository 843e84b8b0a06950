import { parentPort, workerData } from 'node:worker_threads';
import type { ImageJob } from './codec.ts';
import { transform } from './jimp-codec.ts';

const port = parentPort;
if (port !== null) {
  const job: ImageJob = workerData;
  const answer = await transform(job).then(
    (bytes) => ({ bytes }),
    // The bytes are not an image.
    (error: unknown) => ({ reason: String(error) }),
  );
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
  port.postMessage(answer);
}
