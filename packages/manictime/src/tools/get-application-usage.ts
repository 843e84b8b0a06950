import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { dailyUsage, usageInput, usageOutput } from './daily-usage.ts';

export const getApplicationUsage = defineManicTimeTool({
  name: 'get_application_usage',
  title: 'Application usage',
  description: 'Minutes in each application on each day of a range, with its colour.',
  hints: READ_ONLY,
  input: usageInput,
  output: usageOutput,
  run: (args, manictime, { signal }) => dailyUsage('applications', args, manictime, signal),
});
