import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tokenField } from '../options/fields.ts';
import { StartError } from './start-error.ts';

/**
 * Reads the token of this machine, making it at the first time: 0600 in a 0700 folder.
 *
 * @throws StartError when it can be neither read nor made
 */
export async function keptToken(file: string): Promise<string> {
  try {
    return (await readToken(file)) ?? (await makeToken(file));
  } catch (error) {
    throw new StartError(
      `The token file ${file} can't be used (${error instanceof Error ? error.message : 'unknown'}). Mend it, or set DESKSIDE_TOKEN.`,
      { cause: error },
    );
  }
}

async function readToken(file: string): Promise<string | undefined> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    if (token === '') throw new Error('it is empty; delete it to get a new one');
    if (!tokenField().safeParse(token).success)
      throw new Error('it holds no token that can be sent; delete it to get a new one');
    return token;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeToken(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const draft = `${file}.${crypto.randomUUID()}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600 });
  try {
    // A link, so that of two processes at once one wins, and nobody ever reads half a token.
    await link(draft, file);
    return token;
  } catch (error) {
    const others = await readToken(file);
    if (others === undefined) throw error;
    return others;
  } finally {
    await rm(draft, { force: true });
  }
}
