import { diagnosticsOf, type RequestContext, type Resource } from '@deskside/core';
import { blocksOf, type ToolName, UserError } from '@deskside/core/errors';
import { checkHealth } from '../queries/health.ts';
import type { ManicTime } from '../manictime.ts';
import { computedFromActivities, noDevices } from '../database/model/notes.ts';
import { safeText } from '../database/model/text.ts';
import { timeText } from '../database/model/time.ts';
import { timelineResponse } from '../tools/timelines.ts';

interface JsonResourceSpec {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly read: (manictime: ManicTime, ctx: RequestContext) => Promise<unknown>;
}

/** A resource that answers one JSON text. An error is answered as JSON too: resources have no error results. */
function jsonResource({ read, ...listing }: JsonResourceSpec): Resource<ManicTime> {
  return {
    ...listing,
    mimeType: 'application/json',
    async read(manictime, ctx) {
      try {
        return JSON.stringify(await read(manictime, ctx), escapeTexts);
      } catch (error) {
        if (!UserError.is(error)) throw error;
        if (error.cause !== undefined) ctx.log.warn('resource unavailable', { uri: listing.uri, error });
        return errorJson(error, ctx.toolName);
      }
    },
  };
}

function escapeTexts(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? safeText(value) : value;
}

export function errorJson({ failure }: UserError, toolName: ToolName): string {
  return blocksOf(failure, toolName)[0] ?? '';
}

export const config = jsonResource({
  uri: 'manictime://config',
  name: 'config',
  title: 'ManicTime configuration',
  description:
    'The folder that data is read from, and where that setting comes from: option, environment, Windows registry, or default.',
  async read(manictime) {
    const { folder, source, screenshots } = await manictime.location();
    return {
      dataDirectory: folder,
      directorySource: source,
      screenshotsDirectory: screenshots,
      saveDirectory: manictime.saveDir,
    };
  },
});

export const timelines = jsonResource({
  uri: 'manictime://timelines',
  name: 'timelines',
  title: 'Timelines',
  description: 'The timelines of the database with their schemas.',
  async read({ records }, ctx) {
    const found = await records.query('timelines', undefined, ctx);
    return found.map(timelineResponse);
  },
});

export const health = jsonResource({
  uri: 'manictime://health',
  name: 'health',
  title: 'Health',
  description: 'Whether the data can be read, what is missing, and what to do about it.',
  read: (manictime, ctx) => checkHealth(manictime, ctx.toolName, ctx),
});

export const environment = jsonResource({
  uri: 'manictime://environment',
  name: 'environment',
  title: 'Environment',
  description: 'The tracked devices: name, operating system, and versions of ManicTime and .NET.',
  async read({ records }, ctx) {
    const environments = await records.query('environments', undefined, ctx);
    return { environments, diagnostics: diagnosticsOf(environments.length === 0 ? [noDevices] : []) };
  },
});

export const dataRange = jsonResource({
  uri: 'manictime://data-range',
  name: 'data-range',
  title: 'Data range',
  description: 'First and last date with data, per timeline. Use it to choose a range that has data.',
  async read({ records }, ctx) {
    const [{ spans, computed }, timelines] = await Promise.all([
      records.query('dataSpans', undefined, ctx),
      records.query('timelines', undefined, ctx),
    ]);
    const byId = new Map(timelines.map((timeline) => [timeline.reportId, timeline]));
    return {
      timelineSummaries: spans.map(({ reportId, start, end, activeStart, activeEnd }) => ({
        reportId,
        schemaName: byId.get(reportId)?.schemaName,
        name: byId.get(reportId)?.name,
        deviceName: byId.get(reportId)?.deviceName,
        startLocalTime: timeText(start),
        endLocalTime: timeText(end),
        activeStartLocalTime: timeText(activeStart),
        activeEndLocalTime: timeText(activeEnd),
      })),
      diagnostics: diagnosticsOf(computed ? [computedFromActivities] : []),
    };
  },
});
