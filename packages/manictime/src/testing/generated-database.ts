import { DAY, dayOfWeek, formatDateTime, HOUR, MINUTE, parseWallTime } from '@deskside/core/dates';
import { randomOf } from '@deskside/core/testing/random';
import { APPLICATIONS, DOCUMENTS, TAGS, USAGE } from './fixture.ts';
import { DatabaseWriter, type StoredGroup, type StoredRow } from './database-writer.ts';

/** How much a person does on a weekday. */
export const PROFILES = {
  light: { windows: 180, applications: 40, sites: 150, breaks: 4, tags: 2, shots: 240 },
  typical: { windows: 700, applications: 150, sites: 1500, breaks: 8, tags: 8, shots: 960 },
  heavy: { windows: 1500, applications: 400, sites: 6000, breaks: 19, tags: 20, shots: 2880 },
} as const;

export interface DataOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  readonly profile: keyof typeof PROFILES;
  readonly days: number;
  /** The last day, `yyyy-MM-dd`. */
  readonly until: string;
  readonly seed: number;
  /** Number of last days with screenshots. Default 0. */
  readonly screenshotDays?: number;
}

/** UTC seconds. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const KNOWN_APPLICATIONS =
  'Google Chrome,Visual Studio Code,Outlook,Teams,Windows Terminal,Excel,File Explorer,Mozilla Firefox,Word,Slack,Figma,KeePass';
const KNOWN_SITES = 'github.com,docs.example.org,mail.example.com,news.example.net,bank.example.com';
const KNOWN_FILES = 'Project plan.docx,Budget 2026.xlsx,Offer 2026-041.docx,Requirements.docx,Roadmap.pptx';
const FILES = 60;
const TAG_NAMES = ['Project A', 'Project B', 'Meetings', 'Admin', 'Learning', 'Support'];
/** In the order of their group ids, with ManicTime's colors. */
const STATES = [
  ['Active', '00aa00'],
  ['Away', 'e0a030'],
  ['Session lock', '8a8f98'],
  ['Power off', '5a5f66'],
] as const;
/** All year: changes of the clock are those of random fixtures. */
const UTC_OFFSET = HOUR;
const LONGEST_WINDOW_SECONDS = 20 * MINUTE;

/** Writes `ManicTimeReports.db`: a believable person, with gaps, overlaps and odd titles. The same options give the same rows. */
export function writeDatabase({ folder, profile, days, until, seed }: DataOptions): void {
  const index = 'ReportId, StartLocalTime';
  using writer = new DatabaseWriter(folder, { layout: 'current', index, journal: 'WAL' });
  const { database } = writer;
  const last = parseWallTime(until) ?? 0;
  const first = last - (days - 1) * DAY;
  database.transaction(() => {
    writeTimelines(writer);
    const person = new Person(writer, PROFILES[profile], seed, first - UTC_OFFSET);
    for (let midnight = first; midnight <= last; midnight += DAY) person.writeDay(midnight);
    writer.summaries();
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
}

function writeTimelines(writer: DatabaseWriter): void {
  const base = 'ManicTime/GenericGroup';
  writer.timeline(USAGE, 'ManicTime/ComputerUsage', 1, { name: 'Computer usage' });
  writer.timeline(APPLICATIONS, 'ManicTime/Applications', 1, { base, name: 'Applications' });
  writer.timeline(DOCUMENTS, 'ManicTime/Documents', 1, { base, name: 'Documents' });
  writer.timeline(TAGS, 'ManicTime/Tags', 1, { name: 'Tags' });
  writer.device(1, 'DESK-01');
  for (const [at, [name, color]] of STATES.entries())
    writer.group(USAGE, { id: at + 1, name, key: `ManicTime/${name.replace(' ', '')}`, color }, null);
}

class Person {
  readonly #writer: DatabaseWriter;
  readonly #profile: (typeof PROFILES)[keyof typeof PROFILES];
  readonly #random: (below: number) => number;
  readonly #applications: readonly StoredGroup[];
  readonly #sites: readonly StoredGroup[];
  readonly #files: readonly StoredGroup[];
  /** End of the last state of the computer. */
  #before: number;
  #lastGroup = 0;
  #lastRow = 1000;

  constructor(
    writer: DatabaseWriter,
    profile: (typeof PROFILES)[keyof typeof PROFILES],
    seed: number,
    before: number,
  ) {
    this.#writer = writer;
    this.#profile = profile;
    this.#random = randomOf(seed);
    this.#before = before;
    const { applications, sites } = profile;
    this.#applications = this.#groups(applications, null, KNOWN_APPLICATIONS, (at) => `Application ${at}`);
    this.#sites = this.#groups(sites, 'ManicTime/WebSites', KNOWN_SITES, (at) => `site${at}.example`);
    this.#files = this.#groups(FILES, 'ManicTime/Files', KNOWN_FILES, (at) => `report ${at}.docx`);
  }

  /** A group has the id of its shared group. */
  #groups(count: number, type: string | null, known: string, nameOf: (at: number) => string): StoredGroup[] {
    const names = known.split(',');
    return Array.from({ length: count }, (_, at) => {
      const id = (this.#lastGroup += 1);
      const name = names[at] || nameOf(at);
      const lower = name.toLowerCase();
      const key = type === null ? `${lower.split(' ').at(-1)}.exe;${lower}` : lower;
      const color = this.#random(0x1000000).toString(16).padStart(6, '0');
      const group = { id, name, key, color, type };
      this.#writer.group(type === null ? APPLICATIONS : DOCUMENTS, group, id);
      this.#writer.commonGroup(group);
      return group;
    });
  }

  #chance(percent: number): boolean {
    return this.#random(1000) < percent * 10;
  }

  /** Earlier items are more frequent. */
  #popular<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.min(Math.floor(items.length ** this.#part()), items.length) - 1];
  }

  /** In [0, 1). */
  #part(): number {
    return this.#random(2 ** 30) / 2 ** 30;
  }

  /** @param midnight start of the local day, as if local time were UTC */
  writeDay(midnight: number): void {
    const weekday = dayOfWeek(midnight);
    const isWeekend = weekday === 0 || weekday === 6;
    const at = (seconds: number) => midnight + seconds - UTC_OFFSET;
    const start = Math.max(at(8 * HOUR + this.#random(1.5 * HOUR)), this.#before);
    const length = (8.5 * HOUR + this.#random(1.5 * HOUR)) * (isWeekend ? 0.35 : 1);
    // One late evening per week, with a window open over midnight.
    const day = { start, end: weekday === 5 ? at(24.4 * HOUR) : start + Math.floor(length) };
    const share = isWeekend ? 0.2 : 1;
    const active = this.#writeStates(day, Math.max(1, Math.round(this.#profile.breaks * share)));
    this.#writeWindows(day, active, this.#profile.windows * share);
    this.#writeTags(active, Math.max(1, Math.round(this.#profile.tags * share)));
  }

  /** @returns when the computer is active */
  #writeStates({ start, end }: Span, breaks: number): Span[] {
    const active: Span[] = [];
    const write = (state: number, span: Span) => {
      if (state === 0) active.push(span);
      this.#writeRow(span, { report: USAGE, name: STATES[state]?.[0], groupId: state + 1 });
    };
    if (start > this.#before) write(this.#chance(80) ? 3 : 2, { start: this.#before, end: start });
    let from = start;
    for (let count = 1; count <= breaks; count += 1) {
      const at = start + Math.floor(((end - start) * count) / (breaks + 1)) + this.#random(600) - 300;
      const minutes = count === Math.ceil(breaks / 2) ? 30 + this.#random(30) : 10 + this.#random(10);
      const until = Math.min(at + minutes * MINUTE, end - MINUTE);
      if (at <= from + MINUTE || until <= at) continue;
      write(0, { start: from, end: at });
      write(this.#chance(70) ? 1 : 2, { start: at, end: until });
      from = until;
    }
    write(0, { start: from, end });
    this.#before = end;
    return active;
  }

  #writeWindows({ start, end }: Span, active: readonly Span[], count: number): void {
    const seconds = active.reduce((sum, span) => sum + span.end - span.start, 0);
    const median = Math.max(5, seconds / count / 3);
    let [current, other] = [this.#pickApplication(), this.#pickApplication()];
    for (let at = start; at < end;) {
      const length = Math.min(this.#lengthOf(median), end - at);
      this.#writeWindow({ start: at, end: at + length }, current);
      at +=
        length + (this.#chance(2) ? this.#random(40) : 0) - (this.#chance(1) ? Math.min(3, length - 1) : 0);
      if (this.#chance(60)) [current, other] = [other, current];
      else other = this.#pickApplication();
    }
  }

  /** Most windows are short and some long: logarithms of their lengths have a normal distribution. */
  #lengthOf(median: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#part()));
    const length = median * Math.exp(1.45 * radius * Math.cos(2 * Math.PI * this.#part()));
    return Math.min(Math.max(5, Math.round(length)), LONGEST_WINDOW_SECONDS);
  }

  /** The browser is more frequent than other applications. */
  #pickApplication(): StoredGroup | undefined {
    return this.#chance(35) ? this.#applications[0] : this.#popular(this.#applications);
  }

  #writeWindow(span: Span, application: StoredGroup | undefined): void {
    if (application === undefined) return;
    const { id } = application;
    const window = { report: APPLICATIONS, name: this.#titleOf(application), groupId: id, commonId: id };
    const relatedId = this.#writeRow(span, window);
    if (this.#chance(40)) return;
    const isBrowser = /Chrome|Firefox/.test(application.name);
    const group = this.#popular(isBrowser ? this.#sites : this.#files);
    if (group === undefined) return;
    const name = isBrowser
      ? `https://${group.name}/page/${this.#random(1000)}`
      : `C:\\Users\\me\\Documents\\${group.name}`;
    this.#writeRow(span, { report: DOCUMENTS, name, groupId: group.id, commonId: group.id, relatedId });
  }

  #titleOf({ name }: StoredGroup): string | undefined {
    const pick = this.#random(1000);
    if (pick < 5) return undefined;
    if (pick < 10) return `Notes 🎉 שלום — ${name}\nsecond line`;
    return `Work item ${1 + this.#random(4000)} - ${name}`;
  }

  #writeTags(active: readonly Span[], count: number): void {
    for (let at = 0; at < count; at += 1) {
      const { start, end } = active[Math.floor((at * active.length) / count)] ?? { start: 0, end: 0 };
      const from = start + this.#random(Math.max(1, Math.floor((end - start) / 2)));
      const names = [TAG_NAMES[this.#random(TAG_NAMES.length)], ...(this.#chance(30) ? ['Billable'] : [])];
      const until = Math.min(end, from + 10 * MINUTE + this.#random(80 * MINUTE));
      if (until > from) this.#writeRow({ start: from, end: until }, { report: TAGS, name: names.join(', ') });
    }
  }

  /** @returns the id of the row */
  #writeRow({ start, end }: Span, row: Omit<StoredRow, 'id' | 'local' | 'utc'>): number {
    const id = (this.#lastRow += 1);
    const local = [stamp(start + UTC_OFFSET), stamp(end + UTC_OFFSET)] as const;
    this.#writer.activity({ ...row, id, local, utc: [stamp(start), stamp(end)] });
    return id;
  }
}

/** `yyyy-MM-dd HH:mm:ss` */
function stamp(seconds: number): string {
  return formatDateTime(seconds).replace('T', ' ');
}
