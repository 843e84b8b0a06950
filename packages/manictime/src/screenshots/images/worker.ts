import { parentPort, workerData } from 'node:worker_threads';
import type { ImageCodec, ImageJob } from './codec.ts';

/** The codec to use; `auto` uses sharp if it loads. */
export type CodecChoice = 'auto' | 'sharp' | 'jimp';

export interface WorkerRequest {
  readonly id: number;
  readonly job: ImageJob;
}

export type WorkerResponse =
  | { readonly id: number; readonly bytes: Uint8Array }
  /** The bytes are not an image. */
  | { readonly id: number; readonly error: string };

const port = parentPort;
if (port !== null) {
  // The thread fails if the codec does not load.
  const codec = await loadCodec(workerData);
  port.on('message', ({ id, job }: WorkerRequest) => {
    codec.run(job).then(
      (bytes) => port.postMessage({ id, bytes } satisfies WorkerResponse),
      (error: unknown) => port.postMessage({ id, error: String(error) } satisfies WorkerResponse),
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
