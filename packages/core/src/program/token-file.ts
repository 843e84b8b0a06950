import { join } from 'node:path';
import { createFile } from '../base/files.ts';
import { readPrivateFile } from '../base/private-file.ts';
import { messageOf, remedyOf, StartError, unlessStartFails } from '../errors/index.ts';
import { folders } from './folders.ts';
import { tokenField } from './options.ts';

/** A file that contains one secret: its name in messages, and the variable that replaces the file. */
interface SecretFile {
  readonly file: string;
  readonly name: string;
  readonly variable: string;
}

/**
 * Reads this machine's bearer token from a file. Creates it on first use, with mode 0600 in a folder with mode 0700.
 *
 * @throws StartError if it can be neither read nor created, or if other users can read or change it
 */
export function loadOrCreateToken(file: string): Promise<string> {
  return loadOrCreate({ file, name: 'token', variable: 'DESKSIDE_TOKEN' });
}

/**
 * The secret that encrypts session ids and the state of elicitations: the given one, else that of the secret file in the
 * user data folder. With a token no file is created: then the secret of `serve` is derived from the token, so that replicas
 * agree.
 *
 * @param settings from the environment
 * @returns undefined if there is no file and `token` is given
 * @throws StartError as `loadOrCreateToken`
 */
export async function serverSecret({
  secret,
  token,
}: {
  readonly secret?: string | undefined;
  readonly token?: string | undefined;
}): Promise<string | undefined> {
  if (secret !== undefined) return secret;
  // A container may have no home folder; with a token it needs none.
  const file = token === undefined ? secretFile() : unlessStartFails(secretFile);
  if (file === undefined) return undefined;
  const stored = { file, name: 'secret', variable: 'DESKSIDE_SECRET' };
  return token === undefined ? loadOrCreate(stored) : usable(stored, () => read(stored));
}

function secretFile(): string {
  return join(folders().data, 'secret');
}

function loadOrCreate(secret: SecretFile): Promise<string> {
  return usable(secret, async () => (await read(secret)) ?? create(secret));
}

async function usable<T>({ file, name, variable }: SecretFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = messageOf(error).replace(`${file}: `, '');
    const problem = `The ${name} file ${file} cannot be used (${reason}).`;
    const remedy = remedyOf(error) ?? 'Correct it';
    throw new StartError(`${problem} ${remedy}, or set ${variable}.`, { cause: error });
  }
}

/** @returns undefined if the file does not exist */
async function read({ file, name }: SecretFile): Promise<string | undefined> {
  const secret = (await readPrivateFile(file))?.trim();
  if (secret === '') throw new Error(`it is empty; delete it to get a new ${name}`);
  if (secret !== undefined && !tokenField().safeParse(secret).success)
    throw new Error(`its content is not a valid ${name}; delete it to get a new ${name}`);
  return secret;
}

async function create(target: SecretFile): Promise<string> {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  if (await createFile(target.file, `${secret}\n`)) return secret;
  // Another process was faster.
  return (await read(target)) ?? Promise.reject(new Error('it is a link that leads nowhere'));
}
