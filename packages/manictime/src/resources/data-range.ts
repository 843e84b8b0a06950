import { diagnosticsOf } from '@deskside/core';
import { formatDateTime, type WallTime } from '../time/wall-clock.ts';
import { dataSpans } from '../timeline/data-span.ts';
import { computedFromActivities } from '../timeline/notes.ts';
import { jsonResource } from './json-resource.ts';

export const dataRange = jsonResource({
  uri: 'manictime://data-range',
  name: 'data-range',
  title: 'Data range',
  description: 'From when to when each timeline has data, so that nobody asks in vain.',
  async read({ database }, { signal }) {
    const { spans, computed } = await database.read(dataSpans, signal);
    return {
      timelineSummaries: spans.map(({ reportId, start, end, activeStart, activeEnd }) => ({
        reportId,
        startLocalTime: timeOf(start),
        endLocalTime: timeOf(end),
        activeStartLocalTime: timeOf(activeStart),
        activeEndLocalTime: timeOf(activeEnd),
      })),
      diagnostics: diagnosticsOf(computed ? [computedFromActivities] : []),
    };
  },
});

function timeOf(time: WallTime | undefined): string | undefined {
  return time === undefined ? undefined : formatDateTime(time);
}
