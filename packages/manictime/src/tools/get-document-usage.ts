import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { dailyUsage, usageInput, usageOutput } from './daily-usage.ts';

export const getDocumentUsage = defineManicTimeTool({
  name: 'get_document_usage',
  title: 'Document usage',
  description: (tool) =>
    `Minutes in each file on each day of a range. Websites: ${tool('get_website_usage')}.`,
  hints: READ_ONLY,
  input: usageInput,
  output: usageOutput,
  run: (args, manictime, { signal }) => dailyUsage('documents', args, manictime, signal),
});
