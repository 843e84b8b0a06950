import { join } from 'node:path';
import type { Era } from '@deskside/core';
import { isObject } from '@deskside/core/base';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished } from 'vitest';
import type { ExternalSpec } from '../external/spec.ts';
import { systemTransports } from '../external/transport.ts';
import { deskWith, running } from './external.ts';
import { type RawPeer, rawDefinition, type RawOptions, rawProgram } from './raw-peer.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call in the server's own names. */
export type Row = readonly [method: string, params: Json];

/** A server of other people, and calls of everything that it offers. */
export interface RealServer {
  readonly packageName: string;
  readonly bin: string;
  readonly era: Era;
  readonly args?: (folder: string) => readonly string[];
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  /** Brings the folder into the state in which the rows begin. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Arguments by tool, in this order. The test fails for a tool that neither this table nor a row calls. */
  readonly tools?: (folder: string) => Readonly<Record<string, Json>>;
  readonly rows?: readonly Row[];
  /** Parts that differ from run to run. */
  readonly varying?: RegExp;
}

const MODULES = join(import.meta.dirname, '../../node_modules');
const PATH = process.env['PATH'] ?? '';

/** Calls, each with the bytes of its answer. What varies is masked. */
type Answered = readonly (readonly [call: string, answer: string])[];

/** Makes the same calls directly and through the desk, and compares the lists. */
export async function bothWays(
  server: RealServer,
): Promise<{ readonly direct: Answered; readonly through: Answered }> {
  const folder = join(temporaryFolder(), 'folder');
  const env = { PATH, HOME: '/nonexistent', ...server.env?.(folder) };
  const options: RawOptions = { era: server.era };
  const prepare = () => server.prepare?.(folder);

  await prepare();
  const direct = await rawProgram(commandOf(server, folder), env, options);
  onTestFinished(() => direct[Symbol.asyncDispose]());
  const tools = (await allListed(direct, 'tools/list', 'tools')).filter(runsInForeground);
  const rows = rowsOf(
    server,
    folder,
    tools.map(({ name }) => String(name)),
  );
  const expected = await answers(direct, rows, (name) => name);
  const templates = await allListed(direct, 'resources/templates/list', 'resourceTemplates');
  await direct[Symbol.asyncDispose]();

  await prepare();
  const [file, ...args] = commandOf(server, folder);
  const spec: ExternalSpec = running({ command: file, args, env });
  const desk = await deskWith({ x: spec }, { openTransport: systemTransports({}) });
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const through = await rawDefinition(desk.aggregator.definition, options);
  onTestFinished(() => through[Symbol.asyncDispose]());
  const throughTools = await allListed(through, 'tools/list', 'tools');
  expect(throughTools.map(({ name }) => name)).toStrictEqual(
    tools.map(({ name }) => `x_${String(name)}`).toSorted(),
  );
  expect(await allListed(through, 'resources/templates/list', 'resourceTemplates')).toStrictEqual(templates);
  const actual = await answers(through, rows, (name) => `x_${name}`);
  const masked = (texts: readonly string[]): Answered =>
    texts.map((text, index) => [
      JSON.stringify(rows[index]),
      server.varying === undefined ? text : text.replaceAll(server.varying, '…'),
    ]);
  return { direct: masked(expected), through: masked(actual) };
}

export function commandOf({ packageName, bin, args }: RealServer, folder: string): [string, ...string[]] {
  return [process.execPath, join(MODULES, packageName, bin), ...(args?.(folder) ?? [])];
}

function rowsOf(server: RealServer, folder: string, listed: readonly string[]): readonly Row[] {
  const tools = server.tools?.(folder) ?? {};
  const called = new Set([...Object.keys(tools), ...(server.rows ?? []).map(([, { name }]) => name)]);
  const missing = listed.filter((name) => !called.has(name));
  expect({ missing }, 'tools without a row').toStrictEqual({ missing: [] });
  return [
    ...Object.entries(tools)
      .filter(([name]) => listed.includes(name))
      .map(([name, args]): Row => ['tools/call', { name, arguments: args }]),
    ...(server.rows ?? []),
  ];
}

/** The bytes of each answer, in the order of the rows. */
async function answers(
  peer: RawPeer,
  rows: readonly Row[],
  nameOf: (name: string) => string,
): Promise<string[]> {
  const all: string[] = [];
  for (const [method, params] of rows) {
    const ref = params['ref'] as Json | undefined;
    const named = {
      ...params,
      ...(typeof params['name'] === 'string' ? { name: nameOf(params['name']) } : {}),
      ...(typeof ref?.['name'] === 'string' ? { ref: { ...ref, name: nameOf(ref['name']) } } : {}),
    };
    all.push(JSON.stringify(await peer.request(method, named)));
  }
  return all;
}

async function allListed(peer: RawPeer, method: string, member: string): Promise<readonly Json[]> {
  return ((await peer.request(method))[member] as readonly Json[] | undefined) ?? [];
}

/** The desk runs no tasks. */
function runsInForeground({ execution }: Readonly<Record<string, unknown>>): boolean {
  return !isObject(execution) || execution['taskSupport'] !== 'required';
}
