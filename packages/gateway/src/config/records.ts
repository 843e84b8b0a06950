import { readPrivateFile } from '@deskside/core/base';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { ownUid, textOf } from '@deskside/desktop';

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

/** As `textOf`. @throws StartError that names the file, if it exists and cannot be read */
export async function readable(file: string): Promise<string | undefined> {
  try {
    return await textOf(file);
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${file}: ${error.message}`, { cause: error });
    throw new StartError(`${file} cannot be read (${messageOf(error)}). Correct it.`, { cause: error });
  }
}

/**
 * The text of a record that only this user may own and read.
 *
 * @returns undefined if it does not exist
 * @throws StartError that names the file, if it cannot be used
 */
export async function privateText(file: string, maxBytes?: number): Promise<string | undefined> {
  try {
    return await readPrivateFile(file, { uid: ownUid(), ...(maxBytes === undefined ? {} : { maxBytes }) });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be read (${messageOf(error)}). Correct it, or delete it.`, {
      cause: error,
    });
  }
}
