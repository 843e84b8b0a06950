import { parentPort, workerData } from 'node:worker_threads';
import type { ImageCodec, ImageJob } from './codec.ts';

/** What the worker is started with: the codec to use, or to find out. */
export type CodecChoice = 'auto' | 'sharp' | 'jimp';

export interface WorkerRequest {
  readonly id: number;
  readonly job: ImageJob;
}

export type WorkerAnswer =
  | { readonly id: number; readonly bytes: Uint8Array; readonly codec: ImageCodec['name'] }
  | { readonly id: number; readonly error: string };

const port = parentPort;
if (port !== null) {
  const codec = loadCodec(workerData);
  port.on('message', ({ id, job }: WorkerRequest) => {
    answer(id, job).then(
      (reply) => port.postMessage(reply),
      (error: unknown) => port.postMessage({ id, error: String(error) }),
    );
  });

  const answer = async (id: number, job: ImageJob): Promise<WorkerAnswer> => {
    const { name, run } = await codec;
    return { id, bytes: await run(job), codec: name };
  };
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
