import { parentPort, workerData } from 'node:worker_threads';
import type { ImageCodec, ImageJob } from './codec.ts';

/** The codec to use; `auto` uses sharp if it loads. */
export type CodecChoice = 'auto' | 'sharp' | 'jimp';

export interface WorkerRequest {
  readonly id: number;
  readonly job: ImageJob;
}

export type WorkerResponse =
  | { readonly id: number; readonly bytes: Uint8Array; readonly codec: ImageCodec['name'] }
  | { readonly id: number; readonly error: string };

const port = parentPort;
if (port !== null) {
  const codec = loadCodec(workerData);
  port.on('message', ({ id, job }: WorkerRequest) => {
    transform(id, job).then(
      (response) => port.postMessage(response),
      (error: unknown) => port.postMessage({ id, error: String(error) }),
    );
  });

  const transform = async (id: number, job: ImageJob): Promise<WorkerResponse> => {
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
