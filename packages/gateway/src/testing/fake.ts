import { join } from 'node:path';
import type { ServerListing } from '../external/listing.ts';
import type { ServerCommand } from '../external/spec.ts';
import type { StartTimer } from '../mounts/timer.ts';
import type { OpenTransport } from '../external/transport.ts';
import { emptyListing } from './external.ts';
import { fakeBehavior } from './fake-behavior.ts';
import { type Json, ScriptedStart } from './scripted.ts';
import type { RawPeer } from './raw-peer.ts';

const FAKE = join(import.meta.dirname, 'fake-server.ts');

/** How to start the fake server in one of its modes. */
export function fakeServer(mode = 'good', env: Readonly<Record<string, string>> = {}): ServerCommand {
  return { command: process.execPath, args: [FAKE, mode], env };
}

/** Runs the fake server in this process. The process id is the number of the start. */
export function fakeTransports(): {
  readonly openTransport: OpenTransport;
  readonly starts: ScriptedStart[];
} {
  const starts: ScriptedStart[] = [];
  const openTransport: OpenTransport = (server) => {
    const mode = 'command' in server ? (server.args?.at(-1) ?? '') : '';
    const start = new ScriptedStart((message) => handle(message));
    starts.push(start);
    const handle = fakeBehavior(mode, {
      pid: starts.length,
      env: {},
      print: (text) => start.print(text),
      exit: (code) => start.end(`exit code ${code}`),
    });
    return start;
  };
  return { openTransport, starts };
}

/** What a server with these tools lists. */
export function listingOf(...tools: readonly string[]): ServerListing {
  return { ...emptyListing, tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
}

export function callOf(peer: RawPeer, name: string, args: Json = {}, more: Json = {}): Promise<Json> {
  return peer.request('tools/call', { name, arguments: args, ...more });
}

/** The JSON in the first text block of a result. */
export function jsonOf(result: Json): unknown {
  return JSON.parse(String((result['content'] as readonly Json[] | undefined)?.[0]?.['text']));
}

/** Timers that ring when a test says so. */
export function manualTimer() {
  const started = new Map<object, { readonly ms: number; readonly ring: () => void }>();
  const startTimer: StartTimer = (ms, ring) => {
    const key = {};
    started.set(key, { ms, ring });
    return () => started.delete(key);
  };
  return {
    startTimer,
    /** Durations of the timers that run. */
    running: () => [...started.values()].map(({ ms }) => ms),
    /** Rings all timers of this duration. */
    ring(ms: number) {
      for (const [key, timer] of started) {
        if (timer.ms !== ms) continue;
        started.delete(key);
        timer.ring();
      }
    },
  };
}
