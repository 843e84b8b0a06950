import { type Program, startProgram } from '@deskside/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { type DeskHome, deskHome, endProcess } from './testing/desk-home.ts';

const token = 'a-long-enough-token';

async function startHttp(desk: DeskHome, port = '0'): Promise<Program & { readonly url: URL }> {
  const program = startProgram(desk.command(['http', '--port', port], { DESKSIDE_TOKEN: token }));
  onTestFinished(() => program[Symbol.asyncDispose]());
  const [, url = ''] = await program.printed(/serves MCP at (\S+)/);
  await program.printed(/Clients send/);
  return { ...program, url: new URL(url) };
}

/** The desk that the client talks to, and what replaces it. */
const WAYS = {
  async http(desk: DeskHome) {
    const program = await startHttp(desk);
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    return {
      transport: new StreamableHTTPClientTransport(program.url, { requestInit }),
      async restart() {
        program.child.kill('SIGKILL');
        await program.exited;
        await startHttp(desk, program.url.port);
      },
    };
  },
  async stdio(desk: DeskHome) {
    const { command, args, env = {} } = desk.client();
    return {
      transport: new StdioClientTransport({ command, args: [...args], env: { ...env } }),
      // The next request of the client starts another desk.
      restart: async () => endProcess(desk.pid()),
    };
  },
};

/** Answers each form when the test says so, also one that was withdrawn. */
async function connect(transport: Transport) {
  const forms: { readonly id: string | number; readonly message: string }[] = [];
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId }) => {
    forms.push({ id: requestId, message: params.message });
    return Promise.withResolvers<ElicitResult>().promise;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    ping: () => client.ping(),
    ask: async (message: string) => {
      const result = client.callTool({ name: 'popup_notify', arguments: { message } });
      const asked = () => forms.find((form) => form.message.includes(message))?.id;
      await expect.poll(asked, { timeout: 20_000 }).toBeDefined();
      return { id: asked() ?? '', result };
    },
    answer: (id: string | number, reply: string) =>
      transport.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { reply } } }),
  };
}

test.each(['http', 'stdio'] as const)(
  'after the desk was killed, the answer to its question answers no question of the next desk, over %s',
  async (way) => {
    const desk = deskHome();
    const { transport, restart } = await WAYS[way](desk);
    const person = await connect(transport);
    const first = await person.ask('May I read the calendar?');
    first.result.catch(() => undefined);
    await restart();
    // A request that changes nothing reaches the next desk, also if it was sent before the client knew of the end.
    await person.ping();
    const second = await person.ask('May I delete the disk?');
    await person.answer(first.id, 'yes, read it');
    await person.answer(second.id, 'no, keep it');
    expect(await second.result).toMatchObject({ content: [{ text: 'User response: no, keep it' }] });
  },
);
