import { onTestFinished } from 'vitest';
import type { ExternalSpec } from '../external/spec.ts';
import { type DeskOptions, deskWith, type ExternalDesk, running } from './external.ts';
import { fakeServer, fakeTransports } from './fake.ts';
import { rawDefinition, type RawOptions } from './raw-peer.ts';
import type { ScriptedServer } from './scripted.ts';

interface OpenOptions extends DeskOptions {
  /** Default: one of the legacy era, without capabilities. */
  readonly client?: RawOptions;
}

/** A desk with external servers and a client of it, until the end of the test. */
export async function openDesk(
  specs: Readonly<Record<string, ExternalSpec>>,
  { client = { era: 'legacy' }, ...options }: OpenOptions = {},
) {
  const desk = await deskWith(specs, options);
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const connect = async () => {
    const peer = await rawDefinition(desk.aggregator.definition, client);
    onTestFinished(() => peer[Symbol.asyncDispose]());
    return peer;
  };
  return { desk, connect, peer: await connect() };
}

/** A desk with a fake server in this process, `x`. */
export async function fakeDesk(spec: Partial<ExternalSpec> = {}, options: OpenOptions = {}) {
  const { starts, openTransport } = fakeTransports();
  const opened = await openDesk({ x: running(fakeServer(), spec) }, { openTransport, ...options });
  return { ...opened, starts };
}

/** A desk with a scripted server, `x`. */
export function scriptedDesk(
  { openTransport }: ScriptedServer,
  spec: Partial<ExternalSpec> = {},
  options: OpenOptions = {},
) {
  return openDesk({ x: running({ command: 'scripted' }, spec) }, { openTransport, ...options });
}

export async function stateOf({ aggregator }: ExternalDesk, id: string) {
  const states = await aggregator.mountStates();
  return states.find((state) => state.id === id);
}
