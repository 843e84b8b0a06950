import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { end, ScriptedServer } from '../testing/scripted.ts';
import { startOnTrial } from './trial.ts';

const SERVER = { command: 'scripted' };

/** A server that asks for roots before it lists its tools. */
function askingServer(): ScriptedServer {
  const server = new ScriptedServer('legacy');
  server.plays = {
    'tools/list': (request, start) => {
      start.say({ id: 'roots', method: 'roots/list' });
      return server.answer(request, start);
    },
  };
  return server;
}

test('a trial shows what a server lists, and ends it', async () => {
  const server = new ScriptedServer('modern');
  const { listing, asked } = await startOnTrial('x', running(SERVER), server.openTransport);
  expect(listing).toMatchObject({ protocolVersion: '2026-07-28', tools: [{ name: 'echo' }] });
  expect(asked).toStrictEqual([]);
  expect(server.running.isClosed).toBe(true);
});

test.each([
  ['per-client', ['roots/list'], { roots: {}, elicitation: { form: {} } }],
  ['shared', [], {}],
] as const)('on trial a %s server can ask for: %j', async (isolation, expected, capabilities) => {
  const server = askingServer();
  const { asked } = await startOnTrial('x', running(SERVER, { isolation }), server.openTransport);
  expect(asked).toStrictEqual(expected);
  expect(server.asked('initialize')).toMatchObject([{ capabilities }]);
});

test('a trial that fails says why', async () => {
  const server = new ScriptedServer('legacy', { initialize: end('exit code 4') });
  const trial = startOnTrial('x', running(SERVER), server.openTransport);
  await expect(trial).rejects.toThrow('It ended (exit code 4).');
});

/** A trial of a program that prints these lines and ends. */
function failingTrial(lines: string) {
  const server = new ScriptedServer('legacy', {
    initialize: (_, start) => {
      start.print(lines);
      start.end('exit code 1');
      return undefined;
    },
  });
  const spec = running(SERVER, { redact: (text) => text.replaceAll('geheim', '<hidden>') });
  return startOnTrial('x', spec, server.openTransport);
}

test('a trial that fails says what the program has printed: its first line about an error, without secrets', async () => {
  await expect(failingTrial('starting\n  Error: no key \u202e geheim\nNode.js v24')).rejects.toThrow(
    String.raw`It ended (exit code 1). It printed: Error: no key \u{202e} <hidden>`,
  );
  await expect(failingTrial('a\nb')).rejects.toThrow(/It printed: b$/);
});
