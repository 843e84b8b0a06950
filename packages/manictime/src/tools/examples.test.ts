import { join } from 'node:path';
import { connectInProcess, type Peer, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { manictimeServer } from '../server.ts';
import { writeExampleFolder } from '../testing/example-folder.ts';
import { openTestManicTime } from '../testing/test-server.ts';

const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const SHOT = 'Z4eAGAA8AMAAbAAAAAuIYwAmiUQ';
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_activity_narrative', { ...DAY, includeSummary: true }],
  ['sum_time', { ...DAY, groupBy: ['application', 'site'], details: ['count', 'longest', 'first', 'last'] }],
  ['get_daily_summary', { date: '2025-01-15', includeSegments: false, includeHourlyWebBreakdown: true }],
  ['get_period_summary', { startDate: '2025-01-13', endDate: '2025-01-20' }],
  ['get_website_usage', DAY],
  ['get_application_usage', DAY],
  ['get_document_usage', DAY],
  ['get_computer_usage', { ...DAY, limit: 1 }],
  ['get_tags', DAY],
  ['get_timelines', {}],
  ['get_activities', { timelineId: 3, ...DAY, limit: 1 }],
  ['list_screenshots', DAY],
  ['get_screenshot', { screenshotRef: SHOT }],
  ['crop_screenshot', { screenshotRef: SHOT, x: 50, y: 0, width: 50, height: 50 }],
  ['save_screenshot', { screenshotRef: SHOT, outputPath: 'assets/morning' }],
  ['get_period_summary', { startDate: '2025-01-01', endDate: '2025-03-01' }],
];
const RESOURCES = ['config', 'timelines', 'health', 'environment', 'data-range', `screenshot/${SHOT}`];
/** The server's version in health changes with each release. */
const VERSION = /("mcpServerVersion": ?)"[^"]+"/;

test('EXAMPLES.md contains the answers of the server (vitest -u writes it)', async () => {
  const folder = temporaryFolder();
  const saveDir = temporaryFolder();
  await writeExampleFolder(folder);
  await using manictime = openTestManicTime({ dataDir: folder, saveDir });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const sections = [
    '# Examples\n\nThe answers of every tool and resource for one morning in a small database.\n\n## Tools',
  ];
  for (const [tool, args] of CALLS) sections.push(await toolExample(peer, tool, args));
  sections.push('## Resources');
  for (const name of RESOURCES) sections.push(await resourceExample(peer, `manictime://${name}`));
  const text = `${sections.join('\n\n')}\n`
    .replaceAll(folder, 'C:/ManicTime')
    .replaceAll(saveDir, 'C:/saved')
    .replace(VERSION, '$1"0.1.0"');
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../EXAMPLES.md'));
});

async function toolExample(peer: Peer, tool: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await peer.callTool(tool, args);
  const blocks = content.map((block) =>
    block.type === 'text' ? pretty(JSON.parse(block.text)) : pretty(short(block)),
  );
  const heading = isError === true ? `### ${tool}: error` : `### ${tool}`;
  return [heading, '```jsonc', `// ${JSON.stringify(args)}`, ...blocks, '```'].join('\n');
}

async function resourceExample(peer: Peer, uri: string): Promise<string> {
  const { contents } = await peer.readResource(uri);
  const bodies = contents.map((content) =>
    'text' in content ? pretty(JSON.parse(content.text)) : pretty(short(content)),
  );
  return [`### ${uri}`, '```jsonc', ...bodies, '```'].join('\n');
}

/** Truncates image data. */
function short(block: object): object {
  return JSON.parse(
    JSON.stringify(block, (key, value) =>
      key === 'data' || key === 'blob' ? `${String(value).slice(0, 8)}…` : value,
    ),
  );
}

/** JSON with lines of up to 110 characters. */
function pretty(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (indent.length + line.length <= 108 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${pretty(item, inner)}`).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
