import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadResponse } from '../../thread.ts';
import type { ImageJob } from './codec.ts';

const jimp = () => import('./jimp-codec.ts');

const port = parentPort;
if (port !== null) {
  // The thread fails if no codec loads.
  const { transform } = workerData === 'jimp' ? await jimp() : await import('./sharp-codec.ts').catch(jimp);
  port.on('message', ({ id, job }: { readonly id: number; readonly job: ImageJob }) => {
    transform(job).then(
      (result) => port.postMessage({ id, result } satisfies ThreadResponse<string>),
      // The bytes are not an image.
      (error: unknown) => port.postMessage({ id, error: String(error) } satisfies ThreadResponse<string>),
    );
  });
}
