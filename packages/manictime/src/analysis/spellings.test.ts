import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { IS_PROOF, randomOf, recordedContext, SEED, temporaryFolder } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doctor } from '../commands/doctor.ts';
import { report } from '../commands/report.ts';
import { type Fixture, type FixtureRow, makeFolder, writeFixture } from '../testing/fixture.ts';
import { DAY, file, named, openTestServer, row, site, type TestServer } from '../testing/test-server.ts';
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

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;

interface Rows {
  readonly applications: FixtureRow[];
  readonly documents: FixtureRow[];
  readonly tags: FixtureRow[];
}

/** Three minutes that one spelling hides, in one of five places. */
function secretRows(number: number): Rows & { readonly spelled: string } {
  const canary = `canary${number}`;
  const [from, to] = [clock(number * 6 + 3), clock(number * 6 + 6)];
  const id = 1000 + number;
  const page = (name: string, host: string, more: Partial<FixtureRow> = { relatedId: id }) =>
    site(from, to, host, { name, ...more });
  const rows = (spelled: string, group: string, name: string, documents: FixtureRow[] = []) => ({
    spelled,
    applications: [row(from, to, group, { name, id })],
    documents: [...documents, row(from, to, canary, { name: canary, report: PLUGIN })],
    tags: [],
  });
  const title = addressSpelling(NAMES.title);
  switch (number % 5) {
    case 0: {
      const app = spelling(NAMES.app);
      return rows(app, app, canary);
    }
    case 1: {
      const host = hostSpelling();
      return rows(host, 'Chrome', canary, [page(`https://${host}/${canary}`, host)]);
    }
    case 2:
      return {
        ...rows(title, 'Word', `${title} ${canary}`),
        tags: [named(from, to, `${title} ${canary}`)],
      };
    case 3: {
      const path = `C:\\docs\\${title} ${canary}.docx`;
      return rows(title, 'Word', canary, [
        file(from, to, `${title} ${canary}`, { name: path, relatedId: id }),
      ]);
    }
    default:
      return rows(title, 'Chrome', canary, [page(`https://a.example/${title}/${canary}`, 'a.example', {})]);
  }
}

const secrets = Array.from({ length: SPELLINGS }, (_, number) => secretRows(number));

const at = (number: number) => [clock(number * 6), clock(number * 6 + 3)] as const;

function publicRows(): Rows {
  const moments = Array.from({ length: SPELLINGS + 1 }, (_, number) => number);
  return {
    applications: moments.map((number) => row(...at(number), 'Code', { name: 'main.ts', id: number + 1 })),
    documents: moments.flatMap((number) => [
      site(...at(number), 'news.example', { relatedId: number + 1 }),
      row(...at(number), 'Meeting', { name: 'Meeting', report: PLUGIN }),
    ]),
    tags: moments.map((number) => named(...at(number), 'Work')),
  };
}

function write(folder: string, rows: readonly Rows[]): void {
  const fixture: Fixture = {
    timelines: [{ report: PLUGIN, schema: 'Plugins/Chat' }],
    applications: rows.flatMap(({ applications }) => applications),
    documents: rows.flatMap(({ documents }) => documents),
    tags: rows.flatMap(({ tags }) => tags),
  };
  const shots = Array.from({ length: SPELLINGS * 2 }, (_, index) => clock(index * 3 + 1));
  writeFixture(folder, { ...fixture, shots });
}

const MANY = { limit: 1000 };
const RANGED: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_activity_narrative', { ...DAY, includeSummary: true, includeWebsites: true, maxSegments: 2000 }],
  ['get_daily_summary', { date: DAY.startDate, includeHourlyWebBreakdown: true, includeSegments: true }],
  ['get_period_summary', DAY],
  ['get_application_usage', { ...DAY, ...MANY }],
  ['get_application_usage', { ...DAY, name: NAMES.app }],
  ['get_document_usage', { ...DAY, ...MANY }],
  ['get_website_usage', { ...DAY, ...MANY }],
  ['get_computer_usage', { ...DAY, ...MANY }],
  ['get_tags', { ...DAY, ...MANY }],
  ['get_timelines', {}],
  ['list_screenshots', { ...DAY, maxCount: 100 }],
  ['render_day', { date: DAY.startDate }],
  ...(['application', 'title', 'site', 'file', 'tag', 'hour'] as const).map(
    (key) => ['sum_time', { ...DAY, groupBy: [key], top: 500 }] as const,
  ),
  ['sum_time', { ...DAY, all: ['text:canary'] }],
  ['sum_time', { ...DAY, all: [`application:${NAMES.app}`] }],
  ['search_activities', { ...DAY, text: 'a' }],
  ['search_activities', { ...DAY, text: 'canary' }],
  ['search_activities', { ...DAY, application: NAMES.app }],
  ['search_activities', { ...DAY, website: NAMES.site }],
  ['search_activities', { ...DAY, title: NAMES.title }],
  ['search_activities', { ...DAY, tag: NAMES.title }],
  ...[3, 4, 7, PLUGIN].map((timelineId) => ['get_activities', { ...DAY, ...MANY, timelineId }] as const),
];
const BY_REFERENCE = ['get_screenshot', 'crop_screenshot', 'save_screenshot'];

/** Without ids, which depend on what was written before, and without what says how much is hidden and why. */
function comparable(answer: unknown): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'hidden' || key === 'diagnostics' || /id$/i.test(key) ? undefined : value,
  );
  return JSON.parse(text.replace(/ Privacy rules hide \d+ activities\./, ''));
}

describe.each(['exclude', 'redact'] as const)(`${SPELLINGS} spellings of hidden names: %s`, (effect) => {
  const [folder, rest] = [makeFolder(), makeFolder()];
  const options = { [effect]: RULES };
  let hiddenShots: string[] = [];

  beforeAll(async () => {
    write(folder, [publicRows(), ...secrets]);
    write(rest, [publicRows()]);
    await using open = openTestServer(folder);
    const taken: { screenshotRef: string; displayLocalTime: string }[] = [];
    for (let hour = 0; hour < SPELLINGS / 10; hour += 1) {
      const range = {
        startDate: `2025-01-15T${clock(hour * 60)}`,
        endDate: `2025-01-15T${clock(hour * 60 + 60)}`,
      };
      const { screenshots } = (await open.answer('list_screenshots', { ...range, maxCount: 100 })) as {
        screenshots: typeof taken;
      };
      taken.push(...screenshots);
    }
    hiddenShots = taken
      .filter(({ displayLocalTime }) => Number(displayLocalTime.slice(14, 16)) % 6 >= 3)
      .map(({ screenshotRef }) => screenshotRef);
  });

  afterAll(() => {
    for (const each of [folder, rest]) rmSync(each, { recursive: true, force: true });
  });

  test('all tools are asked', () => {
    const asked = new Set([...RANGED.map(([tool]) => tool), ...BY_REFERENCE]);
    expect(manictimeTools.map(({ name }) => name).toSorted()).toEqual([...asked].toSorted());
  });

  test.each(RANGED)('%s %j', async (tool, args) => {
    await using server = openTestServer(folder, options);
    expect(fold(JSON.stringify(await server.result(tool, args)))).not.toMatch(SECRET);
    if (effect === 'redact') return;
    await using other = openTestServer(rest, options);
    expect(comparable(await server.answer(tool, args))).toEqual(comparable(await other.answer(tool, args)));
  });

  test('search finds every spelling without rules, and none with them', async () => {
    await using open = openTestServer(folder);
    await using server = openTestServer(folder, options);
    for (const name of Object.values(NAMES)) {
      const spelled = secrets.map((secret) => secret.spelled).filter((each) => fold(each) === fold(name));
      const minutes = 3 * spelled.length;
      const text = spelled.at(-1);
      expect(await open.answer('search_activities', { ...DAY, text })).toMatchObject({
        totalMinutes: minutes,
      });
      expect(await server.answer('search_activities', { ...DAY, text })).toMatchObject({ totalMinutes: 0 });
    }
    const known = new Set(Object.values(NAMES).map((name) => fold(name)));
    expect(secrets.filter(({ spelled }) => !known.has(fold(spelled)))).toEqual([]);
  });

  test('no screenshot of hidden time can be got, cropped, saved or read', async () => {
    await using server = openTestServer(folder, { ...options, saveDir: temporaryFolder() });
    const area = { x: 0, y: 0, width: 10, height: 10 };
    expect(hiddenShots).toHaveLength(SPELLINGS);
    // Each of the five places of a spelling has its turn.
    for (const screenshotRef of hiddenShots.filter((_, index) => index % 21 === 0)) {
      for (const tool of BY_REFERENCE) {
        expect(await server.failure(tool, { screenshotRef, ...area }), tool).toMatchObject({
          code: 'NOT_FOUND',
        });
      }
    }
    const uri = `manictime://screenshot/${hiddenShots[0]}`;
    expect(await server.resource(uri)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await server.resource(`${uri}/full`)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('resources, the report and doctor name nothing', async () => {
    await using server: TestServer = openTestServer(folder, options);
    for (const name of ['config', 'timelines', 'health', 'environment', 'data-range'])
      expect(fold(JSON.stringify(await server.resource(`manictime://${name}`)))).not.toMatch(SECRET);
    const out = join(temporaryFolder(), 'report.html');
    const env = { MANICTIME_DATA_DIR: folder, [`MANICTIME_${effect.toUpperCase()}`]: RULES.join(',') };
    const context = { ...recordedContext(), env };
    await report.run({ date: DAY.startDate, out, screenshots: '100' }, context);
    expect(fold(readFileSync(out, 'utf8'))).not.toMatch(SECRET);
    await doctor.run({}, context);
    expect(context.written.output).not.toMatch(/canary|matches nothing/);
  });
});
