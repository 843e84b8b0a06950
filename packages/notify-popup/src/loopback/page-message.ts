import { z } from 'zod';

/** What the page says; it is untrusted like everything that comes over a socket. */
const pageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('draft'), text: z.string() }),
  z.object({ type: z.literal('submit'), text: z.string() }),
  z.object({ type: z.literal('cancel') }),
  /** The page goes: its window was closed, or it is loaded again. */
  z.object({ type: z.literal('leave'), load: z.string(), text: z.string() }),
  z.object({ type: z.literal('link'), index: z.int().min(0) }),
]);

export type PageMessage = z.output<typeof pageMessage>;

/** @returns undefined for what is none */
export function parsePageMessage(body: string): PageMessage | undefined {
  try {
    return pageMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
