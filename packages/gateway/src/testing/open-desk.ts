import { onTestFinished } from 'vitest';
import type { ExternalSpec } from '../external/spec.ts';
import type { ToolsMode } from '../profiles/profile.ts';
import { type DeskOptions, deskWith, type ExternalDesk, trustingSource } from './external.ts';
import { listingOf, manualTimer } from './fake.ts';
import { rawDefinition } from './raw-peer.ts';

/** The tools of a fake server in `acceptedDesk`. */
export const LISTED: readonly string[] = ['echo', 'pid', 'seen', 'crash', 'never', 'huge', 'twice', 'noise'];

/** A desk with external servers and a client of it, until the end of the test. */
export async function openDesk(
  specs: Readonly<Record<string, ExternalSpec>>,
  { tools = 'auto', ...options }: DeskOptions & { readonly tools?: ToolsMode } = {},
) {
  const desk = await deskWith(specs, { ...options, profiles: new Map([['peer', { tools }]]) });
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const served = desk.aggregator.routes.get('/mcp/p/peer') ?? desk.aggregator.definition;
  const peer = await rawDefinition(served, { era: 'legacy' });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return { desk, peer };
}

/** A desk whose servers were accepted earlier, so nothing is started for it. */
export async function acceptedDesk(
  specs: Readonly<Record<string, ExternalSpec>>,
  options: Pick<DeskOptions, 'openTransport'> = {},
) {
  const timer = manualTimer();
  const sources = Object.fromEntries(
    Object.keys(specs).map((id) => [id, trustingSource(listingOf(...LISTED))] as const),
  );
  const opened = await openDesk(specs, { ...options, startTimer: timer.startTimer, sources, tools: 'all' });
  return { ...opened, timer };
}

export async function stateOf({ aggregator }: ExternalDesk, id: string) {
  const states = await aggregator.mountStates();
  return states.find((state) => state.id === id);
}
