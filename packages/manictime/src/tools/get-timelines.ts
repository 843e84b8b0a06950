import { capped, diagnosticsOf } from '@deskside/core';
import { z } from 'zod';
import { shown, shownIf } from './shown.ts';
import { noApplicationsTimeline } from '../timeline/notes.ts';
import { ofKind } from '../timeline/timelines.ts';
import { ending } from './fields.ts';
import { TIMELINE_CAP } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';

export const getTimelines = defineManicTimeTool({
  name: 'get_timelines',
  title: 'Timelines',
  description: (tool) =>
    `Lists ManicTime's timelines: applications, documents, computer usage, tags, plugins. Only needed to call ${tool('get_activities')}, which takes a reportId as timelineId.`,
  hints: READ_ONLY,
  input: z.object({}),
  output: z.object({
    count: z.int(),
    timelines: z.array(
      z.object({ reportId: z.int(), schemaName: z.string(), baseSchemaName: z.string().optional() }),
    ),
    ...ending,
  }),

  async run(_, { database }, { signal }) {
    const timelines = await database.read((snapshot) => snapshot.timelines, signal);
    const { items, truncation } = capped(timelines, TIMELINE_CAP);
    const lacking = ofKind(timelines, 'applications').length === 0 ? noApplicationsTimeline : undefined;
    return {
      count: items.length,
      timelines: items.map(({ reportId, schemaName, baseSchemaName }) => ({
        reportId,
        schemaName: shown(schemaName),
        baseSchemaName: shownIf(baseSchemaName),
      })),
      truncation,
      diagnostics: diagnosticsOf([lacking]),
    };
  },
});
