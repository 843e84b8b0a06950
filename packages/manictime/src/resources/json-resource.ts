import type { RequestContext, Resource } from '@deskside/core';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { shown } from '../tools/shown.ts';

export interface JsonResourceSpec {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly read: (manictime: ManicTime, ctx: RequestContext) => Promise<unknown>;
}

/** A resource that is one JSON text; a problem is one too, as the reader has no other place to see it. */
export function jsonResource({ read, ...listing }: JsonResourceSpec): Resource<ManicTime> {
  return {
    ...listing,
    mimeType: 'application/json',
    async read(manictime, ctx) {
      try {
        return JSON.stringify(await read(manictime, ctx), showTexts);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.cause !== undefined) ctx.log.warn('resource unavailable', { uri: listing.uri, error });
        return problemJson(error);
      }
    },
  };
}

/** Names in it are other people's words. */
function showTexts(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? shown(value) : value;
}

export function problemJson({ text: { error, code, hint } }: Problem): string {
  return JSON.stringify({ error, code, hint });
}
