import { type ConnectOptions, connectInProcess, type LEGS } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { Popup } from '../notify-popup.ts';
import { popupServer } from '../server.ts';

export interface Form {
  readonly message: string;
  readonly requestedSchema?: unknown;
}
export type Filled = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string>;
};

/** A client whose forms the test fills, until a signal takes them away. */
export async function connectWithForms(
  popup: Popup,
  leg: (typeof LEGS)[number],
  fill: (form: Form, signal: AbortSignal) => Promise<Filled>,
  options: Omit<ConnectOptions, 'era'> = {},
) {
  const capabilities = { elicitation: { form: {} } };
  const peer = await connectInProcess(popupServer(popup), { ...leg, capabilities, ...options });
  onTestFinished(async () => {
    await peer[Symbol.asyncDispose]();
    await popup[Symbol.asyncDispose]();
  });
  if (peer.client instanceof ModernClient)
    peer.client.setRequestHandler('elicitation/create', ({ params }, ctx) => fill(params, ctx.mcpReq.signal));
  else peer.client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => fill(params, signal));
  return peer;
}
