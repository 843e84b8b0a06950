import { noUsageTimeline } from '../timeline/notes.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { rowsInput, rowsOfKind, rowsOutput } from './timeline-rows.ts';

const request = { kind: 'usage', schemaName: 'ManicTime/ComputerUsage', missing: noUsageTimeline } as const;

export const getComputerUsage = defineManicTimeTool({
  name: 'get_computer_usage',
  title: 'Computer usage',
  description:
    'When the computer was active, away, locked or off in a range: the rows of the ComputerUsage timeline, each whole, even where it reaches beyond the range.',
  hints: READ_ONLY,
  input: rowsInput,
  output: rowsOutput,
  run: (args, manictime, { signal }) => rowsOfKind(request, args, manictime, signal),
});
