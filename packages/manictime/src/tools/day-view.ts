import type { Resource, Tool } from '@deskside/core';
import { DAY } from '@deskside/core/dates';
import * as z from 'zod';
import type { ManicTime } from '../manictime.ts';
import { pictureHtml, viewPage } from '../view/page.ts';
import { readDay } from './dates.ts';
import { defineManicTimeTool } from './define-tool.ts';

const VIEW_URI = 'ui://manictime/day.html';
const MIME_TYPE = 'text/html;profile=mcp-app';

/** `_meta` of the tool whose result the view shows. */
export const dayViewMeta = {
  ui: { resourceUri: VIEW_URI },
  // For hosts of the first drafts.
  'ui/resourceUri': VIEW_URI,
};

/**
 * The MCP App view of a day: its sentence, lanes and lists. It fetches its HTML through `render_day`, so that a model does not
 * pay for the lanes.
 */
export const dayView: Resource<ManicTime> = {
  uri: VIEW_URI,
  name: 'day-view',
  title: 'Day',
  description: 'Shows a day as a picture in hosts that support MCP Apps.',
  mimeType: MIME_TYPE,
  read: () => viewPage(),
};

export const renderDay: Tool<ManicTime> = defineManicTimeTool({
  name: 'render_day',
  title: 'Day as HTML',
  description: (tool) => `For the view of ${tool('get_daily_summary')} only: the HTML of a day.`,
  meta: { ui: { visibility: ['app'] } },
  input: z.object({ date: z.string().describe('Day: 2026-11-21.') }),
  output: z.object({ html: z.string() }),

  async run({ date }, { records, clock }, ctx) {
    const day = await readDay(date, 'date', { records, clock }, ctx);
    const range = { from: day, to: day + DAY };
    const picture = await records.query('picture', { range }, ctx);
    return { html: pictureHtml(picture) };
  },
});
