import { join } from 'node:path';
import { connectHttp, type Peer, type Program, startProgram } from '@deskside/testkit';

const TOKEN = 'a-token-for-several-agents-of-one-person';

/** The built server over HTTP. `connect` connects one more agent of one person. Dispose of all of them. */
export async function sharedServer(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly server: Program; readonly connect: () => Promise<Peer> }> {
  const bin = join(import.meta.dirname, '../../dist/bin/cli.js');
  const server = startProgram({
    command: process.execPath,
    args: [bin, '--http', '--port', '0', '--log-level', 'debug'],
    env: { ...env, DESKSIDE_TOKEN: TOKEN },
  });
  const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
  return { server, connect: () => connectHttp(url, { era: 'legacy', token: TOKEN }) };
}
