import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { parseWallTime } from '@deskside/core/dates';
import { IS_PROOF, randomOf, recordedContext, SEED, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { doctor } from '../commands/doctor.ts';
import { report } from '../commands/report.ts';
import { type Fixture, writeFixture } from '../testing/fixture.ts';
import {
  callsOf,
  DAY,
  file,
  named,
  openTestServer,
  row,
  site,
  type TestServer,
} from '../testing/test-server.ts';
import { referenceOf } from '../screenshots/shot.ts';
import { manictimeTools } from '../tools/index.ts';
import { fold } from './fold.ts';

const SPELLINGS = IS_PROOF ? 200 : 100;
const NAMES = {
  app: 'Kee-Pass Vault',
  site: 'bücher-bank.example',
  title: 'Gehälter-Liste 2026',
};
const RULES = Object.entries(NAMES).map(([subject, name]) => `${subject}:${name}`);
/** In every text that must be hidden, whatever its spelling. */
const SECRET = /canary|kee-pass|bücher-bank|gehälter-liste/;

const PLUGIN = 20;
const INVISIBLE = ['\u200B', '\u200C', '\u200D', '\u2060', '\u00AD', '\uFEFF', '\uFE0F', '\u034F'];
const SPACES = [' ', '\u00A0', '\u2003', '\u202F', '\u3000', '  ', '\t'];
const DASHES = ['-', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212', '\uFE63', '\uFF0D'];

const random = randomOf(SEED);
const oneOf = (texts: readonly string[]) => texts[random(texts.length)] ?? '';
const maybe = (text: string, change: (text: string) => string) => (random(2) === 0 ? text : change(text));
const each = (text: string, change: (letter: string) => string) => Array.from(text, change).join('');

function encoded(text: string): string {
  const coded = each(text, (letter) =>
    /[\w.:/\\-]/.test(letter) && random(3) > 0
      ? letter
      : Array.from(Buffer.from(letter), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return maybe(coded, (once) => once.replaceAll('%', '%25'));
}

function spelling(name: string): string {
  let text = maybe(name, (known) => each(known, (letter) => maybe(letter, (one) => one.toUpperCase())));
  text = maybe(text, (known) => known.normalize('NFD'));
  text = each(text, (letter) => {
    if (letter === ' ') return oneOf(SPACES);
    return letter === '-' ? oneOf(DASHES) : letter;
  });
  text = maybe(text, (known) =>
    each(known, (letter) =>
      /[A-Za-z0-9]/.test(letter)
        ? maybe(letter, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfe_e0))
        : letter,
    ),
  );
  return maybe(text, (known) => each(known, (letter) => letter + maybe('', () => oneOf(INVISIBLE))));
}

const addressSpelling = (name: string) => maybe(spelling(name), encoded);
const hostSpelling = () => (random(3) === 0 ? domainToASCII(NAMES.site) : addressSpelling(NAMES.site));

const [APP, HOST, TITLE] = [spelling(NAMES.app), hostSpelling(), addressSpelling(NAMES.title)];
const HOURS = ['09', '10', '11', '12', '13'];

/** In the first half of each hour a name in another place hides all. */
const SECRETS: Rows = {
  applications: [
    row('09:00', '09:30', APP, { name: 'canary', id: 1000 }),
    row('10:00', '10:30', 'Chrome', { name: 'canary', id: 1001 }),
    row('11:00', '11:30', 'Word', { name: `${TITLE} canary`, id: 1002 }),
    row('12:00', '12:30', 'Word', { name: 'canary', id: 1003 }),
    row('13:00', '13:30', 'Chrome', { name: 'canary', id: 1004 }),
  ],
  documents: [
    site('10:00', '10:30', HOST, { name: `https://${HOST}/canary`, relatedId: 1001 }),
    file('12:00', '12:30', `${TITLE} canary`, { name: `C:\\docs\\${TITLE} canary.docx`, relatedId: 1003 }),
    site('13:00', '13:30', 'a.example', { name: `https://a.example/${TITLE}/canary` }),
    ...HOURS.map((hour) => row(`${hour}:00`, `${hour}:30`, 'canary', { name: 'canary', report: PLUGIN })),
  ],
  tags: [named('11:00', '11:30', `${TITLE} canary`)],
};

const PUBLIC: Rows = {
  applications: HOURS.map((hour, id) => row(`${hour}:30`, `${hour}:59`, 'Code', { name: 'main.ts', id })),
  documents: HOURS.flatMap((hour, relatedId) => [
    site(`${hour}:30`, `${hour}:59`, 'news.example', { relatedId }),
    row(`${hour}:30`, `${hour}:59`, 'Meeting', { name: 'Meeting', report: PLUGIN }),
  ]),
  tags: HOURS.map((hour) => named(`${hour}:30`, `${hour}:59`, 'Work')),
};
type Rows = Required<Pick<Fixture, 'applications' | 'documents' | 'tags'>>;

function folderWith(secrets: Partial<Rows> = {}): string {
  const folder = temporaryFolder();
  const all = (kind: keyof Rows) => [...PUBLIC[kind], ...(secrets[kind] ?? [])];
  writeFixture(folder, {
    timelines: [{ report: PLUGIN, schema: 'Plugins/Chat' }],
    applications: all('applications'),
    documents: all('documents'),
    tags: all('tags'),
    shots: HOURS.flatMap((hour) => [`${hour}:15:00`, `${hour}:45:00`]),
  });
  return folder;
}

/** The reference of the screenshot of the first half of an hour. */
function hiddenShot(hour: string, index: number): string {
  const local = parseWallTime(`${DAY.startDate}T${hour}:15:00`) ?? 0;
  return referenceOf({ local, offset: 60, width: 800, height: 600, sequence: index * 2, monitor: 0 });
}

test.each(Object.entries(NAMES))('hundreds of spellings of the name for %s are equal', (_, name) => {
  for (let count = 0; count < SPELLINGS; count += 1) {
    const text = addressSpelling(name);
    expect(fold(text), text).toBe(fold(name));
  }
  expect(fold(domainToASCII(NAMES.site))).toBe(fold(NAMES.site));
});

const RANGED: readonly (readonly [string, Record<string, unknown>])[] = [
  ...callsOf(DAY.startDate, DAY.endDate),
  ['get_application_usage', { ...DAY, name: NAMES.app }],
  ...(['application', 'title', 'site', 'file', 'tag'] as const).map(
    (key) => ['sum_time', { ...DAY, groupBy: [key] }] as const,
  ),
  ['sum_time', { ...DAY, all: ['text:canary'] }],
  ['sum_time', { ...DAY, all: [`application:${NAMES.app}`] }],
  ['search_activities', { ...DAY, text: 'canary' }],
  ['search_activities', { ...DAY, application: NAMES.app }],
  ['search_activities', { ...DAY, website: NAMES.site }],
  ['search_activities', { ...DAY, title: NAMES.title }],
  ['search_activities', { ...DAY, tag: NAMES.title }],
  ...[3, 4, 7, PLUGIN].map((timelineId) => ['get_activities', { ...DAY, timelineId }] as const),
];
const BY_REFERENCE = ['get_screenshot', 'crop_screenshot', 'save_screenshot'];

/** Without ids, which depend on what was written before, and without what says how much is hidden and why. */
function comparable(answer: unknown): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'hidden' || key === 'diagnostics' || /id$/i.test(key) ? undefined : value,
  );
  return JSON.parse(text.replace(/ Privacy rules hide \d+ activities\./, ''));
}

describe.each(['exclude', 'redact'] as const)('hidden names in odd spellings: %s', (effect) => {
  const options = { [effect]: RULES };

  test('all tools are asked', () => {
    const asked = new Set([...RANGED.map(([tool]) => tool), ...BY_REFERENCE]);
    expect(manictimeTools.map(({ name }) => name).toSorted()).toEqual([...asked].toSorted());
  });

  test.each(RANGED)('%s %j', async (tool, args) => {
    await using server = openTestServer(folderWith(SECRETS), options);
    expect(fold(JSON.stringify(await server.result(tool, args)))).not.toMatch(SECRET);
    if (effect === 'redact') return;
    await using other = openTestServer(folderWith(), options);
    expect(comparable(await server.answer(tool, args))).toEqual(comparable(await other.answer(tool, args)));
  });

  test.each([
    [NAMES.app, 1],
    [NAMES.site, 1],
    [NAMES.title, 3],
  ])('search finds %s in %i places without rules, and none with them', async (name, places) => {
    await using open = openTestServer(folderWith(SECRETS));
    await using server = openTestServer(folderWith(SECRETS), options);
    const asked = { ...DAY, text: addressSpelling(name) };
    expect(await open.answer('search_activities', asked)).toMatchObject({ totalMinutes: 30 * places });
    expect(await server.answer('search_activities', asked)).toMatchObject({ totalMinutes: 0 });
  });

  test('no screenshot of hidden time can be got, cropped, saved or read', async () => {
    await using server = openTestServer(folderWith(SECRETS), { ...options, saveDir: temporaryFolder() });
    const area = { x: 0, y: 0, width: 10, height: 10 };
    await using open = openTestServer(folderWith(SECRETS));
    for (const screenshotRef of HOURS.map(hiddenShot)) {
      // The file is empty.
      const found = await open.failure('get_screenshot', { screenshotRef });
      expect(found).toMatchObject({ code: 'IMAGE_UNREADABLE' });
      for (const tool of BY_REFERENCE) {
        expect(await server.failure(tool, { screenshotRef, ...area }), tool).toMatchObject({
          code: 'NOT_FOUND',
        });
      }
    }
    const uri = `manictime://screenshot/${hiddenShot('09', 0)}`;
    expect(await server.resource(uri)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await server.resource(`${uri}/full`)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('resources, the report and doctor name nothing', async () => {
    await using server: TestServer = openTestServer(folderWith(SECRETS), options);
    for (const name of ['config', 'timelines', 'health', 'environment', 'data-range'])
      expect(fold(JSON.stringify(await server.resource(`manictime://${name}`)))).not.toMatch(SECRET);
    const out = join(temporaryFolder(), 'report.html');
    const env = {
      MANICTIME_DATA_DIR: folderWith(SECRETS),
      [`MANICTIME_${effect.toUpperCase()}`]: RULES.join(','),
    };
    const context = { ...recordedContext(), env };
    await report.run({ date: DAY.startDate, out, screenshots: '100' }, context);
    expect(fold(readFileSync(out, 'utf8'))).not.toMatch(SECRET);
    await doctor.run({}, context);
    expect(context.written.output).not.toMatch(/canary|matches nothing/);
  });
});
