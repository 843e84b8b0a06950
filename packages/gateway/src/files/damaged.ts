import { StartError } from '@deskside/core/errors';

/** What the person has accepted, in a file that is not whole. It counts for nothing: a part of it may be what forbids. */
export class DamagedRecord extends StartError {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is damaged, so nothing of it counts. Run "deskside apply".`);
    this.file = file;
  }
}

/** @returns undefined for a damaged record @throws everything else that `read` throws */
export async function unlessDamaged<Value>(
  read: () => Promise<Value>,
  onDamage: (file: string) => void = () => undefined,
): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    onDamage(error.file);
    return undefined;
  }
}
