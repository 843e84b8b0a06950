import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadResponse } from '../../thread.ts';
import type { ImageCodec, ImageJob } from './codec.ts';

/** The codec to use; `auto` uses sharp if it loads. */
export type CodecChoice = 'auto' | 'sharp' | 'jimp';

const port = parentPort;
if (port !== null) {
  // The thread fails if the codec does not load.
  const codec = await loadCodec(workerData);
  port.on('message', ({ id, job }: { readonly id: number; readonly job: ImageJob }) => {
    codec.run(job).then(
      (result) => port.postMessage({ id, result } satisfies ThreadResponse<string>),
      // The bytes are not an image.
      (error: unknown) => port.postMessage({ id, error: String(error) } satisfies ThreadResponse<string>),
    );
  });
}

async function loadCodec(choice: unknown): Promise<ImageCodec> {
  if (choice !== 'jimp') {
    try {
      return (await import('./sharp-codec.ts')).sharpCodec;
    } catch (error) {
      if (choice === 'sharp') throw error;
    }
  }
  return (await import('./jimp-codec.ts')).jimpCodec;
}
