import { noTagsTimeline } from '../timeline/notes.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { rowsInput, rowsOfKind, rowsOutput } from './timeline-rows.ts';

const request = { kind: 'tags', schemaName: 'ManicTime/Tags', missing: noTagsTimeline } as const;

export const getTags = defineManicTimeTool({
  name: 'get_tags',
  title: 'Tags',
  description: (tool) =>
    `What the person tagged time with (projects, clients, billable) in a range: the rows of the Tags timeline. ${tool('get_activity_narrative')} has the tags of each segment already.`,
  hints: READ_ONLY,
  input: rowsInput,
  output: rowsOutput,
  run: (args, manictime, { signal }) => rowsOfKind(request, args, manictime, signal),
});
