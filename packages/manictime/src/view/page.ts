import { escapeHtml, escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { DAY, dayOfWeek, formatDate, formatDateTime, HOUR, parseWallTime } from '@deskside/core/dates';
import type { Bar, DayPicture, Picture, TopItem } from '../analysis/day-picture.ts';
import { CATEGORIES, type Category } from '../analysis/categories.ts';
import { durationText, WEEKDAYS } from '../database/model/time.ts';
import builtView from '#dist/view.json' with { type: 'json' };

/** A screenshot inside a report. */
export interface PageShot {
  readonly label: string;
  readonly jpeg: Uint8Array;
}

export interface PageOptions {
  readonly title: string;
  readonly shots?: readonly PageShot[];
}

/** First words of every report: only such a file is replaced. */
export const REPORT_MARK = '<!doctype html><!-- deskside-manictime report -->';

/** A report as one HTML file that loads nothing. */
export function reportPage(picture: Picture, { title, shots = [] }: PageOptions): string {
  const figures = shots.map(({ label, jpeg }) => {
    const data = Buffer.from(jpeg).toString('base64');
    return `<figure><img alt="" src="data:image/jpeg;base64,${data}"><figcaption class="soft">${escapeHtml(label)}</figcaption></figure>`;
  });
  const gallery =
    figures.length === 0 ? '' : `<h2>Screenshots</h2><div class="shots">${figures.join('')}</div>`;
  return [
    `${REPORT_MARK}<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">`,
    `<title>${escapeHtml(title)}</title><style>${builtView.style}</style></head>`,
    `<body><main class="picture">${pictureHtml(picture)}${gallery}</main><script type="module">${builtView.script}</script></body></html>\n`,
  ].join('\n');
}

/** The page of the MCP App view. The script fetches its content. */
export function viewPage(): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Day</title><style>${builtView.style}body{padding:8px;background:transparent}</style></head>`,
    `<body><main class="picture" aria-live="polite"><p class="soft">Loading the day…</p></main><script type="module">${builtView.script}</script></body></html>`,
  ].join('\n');
}

/** Active time, sentence, lanes or columns, top lists and a table of one or several days. All texts are escaped. */
export function pictureHtml({ headline, days, top, notes, concealed }: Picture): string {
  const seconds = days.reduce((sum, day) => sum + day.seconds, 0);
  const hidden = concealed === 0 ? '' : ` Privacy rules hide ${concealed} activities.`;
  const reasons = notes.map(({ remediationHint }) => `<p class="soft">${escapeHtml(remediationHint)}</p>`);
  const tops = [
    topList('Applications', top.applications, seconds),
    topList('Documents', top.documents, seconds),
    topList('Websites', top.websites, seconds),
    topList('Tags', top.tags, seconds),
  ];
  const [only, ...others] = days;
  const isDay = only !== undefined && others.length === 0;
  return [
    `<h1>${isDay ? dayName(only) : rangeName(days)}</h1>`,
    `<p class="number">${durationText(seconds)} <small>active</small></p>`,
    `<p class="headline">${headline === undefined ? '' : `${headlineHtml(headline)}.`}${hidden}</p>`,
    ...reasons,
    legend(days),
    isDay ? dayHtml(only) : columnsHtml(days),
    `<div class="top">${tops.join('')}</div>`,
    `${tableHtml(days)}<p class="soft">Recorded by ManicTime on this computer, for you and your agents.</p>`,
  ].join('');
}

/** The number above it has the active time, and a day of a week has its name. */
function headlineHtml(headline: string): string {
  const [facts = '', ...rest] = headline.split('; ');
  const days = facts
    .replace(/(?:^|, )[\dhmin ]+ active/, '')
    .replace(/^(?:, )?\s*/, '')
    .replaceAll(/\d{4}-\d\d-\d\d/g, (date) => WEEKDAYS[dayOfWeek(parseWallTime(date) ?? 0)] ?? date);
  const text = [days, ...rest].join('; ').replaceAll(/(?<=\d) %/g, '%');
  return escapeHtml(text.charAt(0).toUpperCase() + text.slice(1));
}

/** `20 November 2026`. A `WallTime` is the time of its clock in UTC. */
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `23 to 28 November 2026`, `30 November to 5 December 2026` */
function rangeName(days: readonly DayPicture[]): string {
  const [first = 0, last = 0] = [days[0]?.day, days.at(-1)?.day];
  return DATE.formatRange(first * 1000, last * 1000).replace(/\s*–\s*/, ' to ');
}

function dayName({ day }: DayPicture): string {
  return `${WEEKDAYS[dayOfWeek(day)] ?? ''}, ${DATE.format(day * 1000)}`;
}

const CATEGORY_NAMES: Readonly<Record<Category, string>> = {
  code: 'Code',
  office: 'Documents and design',
  mail: 'Mail and calendar',
  chat: 'Chat and meetings',
  web: 'Web',
  media: 'Media',
  system: 'System',
  other: 'Other',
};

/** The kinds of programs that were used. */
function partsOf(days: readonly DayPicture[]): { readonly category: Category; readonly seconds: number }[] {
  return CATEGORIES.map((category) => ({
    category,
    seconds: days.reduce((sum, { categories }) => sum + (categories[category] ?? 0), 0),
  })).filter(({ seconds }) => seconds > 0);
}

/** The kinds of programs with their colors and shares. */
function legend(days: readonly DayPicture[]): string {
  const parts = partsOf(days);
  const total = parts.reduce((sum, { seconds }) => sum + seconds, 0);
  const items = parts.map(
    ({ category, seconds }) =>
      `<li><span class="dot" style="--bar:var(--${category})"></span>${CATEGORY_NAMES[category]} <span class="soft">${share(seconds, total)}</span></li>`,
  );
  return items.length === 0 ? '' : `<ul class="legend">${items.join('')}</ul>`;
}

const HINT = '<span class="soft">Point at a bar, or use Tab and the arrow keys.</span>';

/** Gaps and interruptions up to this length are drawn with what is around them. The table has all of them. */
const MAX_JOINED_SECONDS = 120;

/** A program that continues after a short gap, or after a short visit to another one, is one bar. */
function joinedBars(bars: readonly Bar[]): readonly Bar[] {
  const joined: Bar[] = [];
  for (const bar of bars.toSorted((a, b) => a.start - b.start)) {
    const [before, last] = joined.slice(-2);
    const continues = (earlier: Bar | undefined) =>
      earlier !== undefined && earlier.label === bar.label && bar.start - earlier.end <= MAX_JOINED_SECONDS;
    const isShort = last !== undefined && last.end - last.start <= MAX_JOINED_SECONDS;
    if (isShort && joined.length > 1 && continues(before)) joined.pop();
    const earlier = joined.at(-1);
    if (earlier === undefined || !continues(earlier)) joined.push(bar);
    else
      joined[joined.length - 1] = {
        ...earlier,
        end: Math.max(earlier.end, bar.end),
        seconds: earlier.seconds + bar.seconds,
        detail: earlier.detail === bar.detail ? bar.detail : undefined,
      };
  }
  return joined;
}

function dayHtml(day: DayPicture): string {
  const [from, to] = hoursOf(day);
  const [start, end] = [day.day + from * HOUR, day.day + to * HOUR];
  const lane = (name: string, kind: string, bars: readonly Bar[]) =>
    `<div class="lane ${kind}"><span class="soft">${name}</span><div class="track" role="group" aria-label="${name}, ${dayName(day)}">${joinedBars(
      bars,
    )
      .filter((bar) => bar.end > bar.start && bar.end > start && bar.start < end)
      .map((bar, index) => barHtml(bar, index, start, end - start))
      .join('')}</div></div>`;
  return [
    `<section style="--step:${percent(stepOf(from, to) / (to - from))}">`,
    lane('Applications', 'applications', day.applications),
    lane('Computer', 'computer', day.computer),
    lane('Documents', 'documents', day.documents),
    lane('Tags', 'tags', day.tags),
    `<div class="lane"><span></span><div class="axis" aria-hidden="true">${axis(from, to)}</div></div>`,
    `<div class="details" role="status">${HINT}</div>`,
    '</section>',
  ].join('');
}

/** A column per day, as high as its active time, divided by kind of program. All days have the scale of the axis. */
function columnsHtml(days: readonly DayPicture[]): string {
  const hours = days.reduce((most, { seconds }) => Math.max(most, Math.ceil(seconds / HOUR)), 1);
  const step = hours > 6 ? 2 : 1;
  const scale = Math.ceil(hours / step) * step * HOUR;
  const columns = days.map((day) => {
    const bars = partsOf([day]).map(({ category, seconds }, index) => {
      const about = `${dayName(day)}, ${CATEGORY_NAMES[category]}: ${durationText(seconds)}, ${share(seconds, day.seconds)}`;
      return `<button type="button" class="bar" tabindex="${index === 0 ? 0 : -1}" style="height:${percent(seconds / scale)};--bar:var(--${category})" data-at="${formatDateTime(day.day)}" data-until="${formatDateTime(day.day + DAY)}" aria-label="${about}"></button>`;
    });
    // Days of which only ManicTime's totals are left have no kinds of programs.
    const rest =
      bars.length === 0 && day.seconds > 0
        ? `<span class="bar" style="height:${percent(day.seconds / scale)};--bar:var(--other)"></span>`
        : '';
    const [weekday = '', date = ''] = dayName(day).split(/, | /);
    return `<div class="column"><strong>${day.seconds === 0 ? '' : hoursText(day.seconds)}</strong><div class="track" role="group" aria-label="${dayName(day)}">${bars.join('')}${rest}</div><span>${weekday.slice(0, 3)}</span><span class="soft">${date}</span></div>`;
  });
  const marks = Array.from({ length: scale / HOUR / step + 1 }, (_, index) => index * step);
  const axis = marks.map((hour) => `<span style="bottom:${percent((hour * HOUR) / scale)}">${hour} h</span>`);
  return `<section style="--step:${percent((step * HOUR) / scale)}"><div class="columns"><div class="axis" aria-hidden="true">${axis.join('')}</div>${columns.join('')}</div><div class="details" role="status">${HINT}</div></section>`;
}

/** `7:49`: a column has no room for more. */
function hoursText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

function share(seconds: number, total: number): string {
  return `${total === 0 ? 0 : Math.round((seconds / total) * 100)}%`;
}

/** The hours that the lanes show: those with activity, and one around them. */
function hoursOf({ day, applications, documents, tags }: DayPicture): readonly [from: number, to: number] {
  const bars = [...applications, ...documents, ...tags];
  if (bars.length === 0) return [0, 24];
  const first = bars.reduce((least, { start }) => Math.min(least, start - day), DAY);
  const last = bars.reduce((most, { end }) => Math.max(most, end - day), 0);
  return [Math.max(0, Math.floor(first / HOUR)), Math.min(24, Math.max(1, Math.ceil(last / HOUR)))];
}

/** In hours. */
function stepOf(from: number, to: number): number {
  return to - from > 12 ? 2 : 1;
}

function axis(from: number, to: number): string {
  const step = stepOf(from, to);
  const hours = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
  return hours
    .map((hour) => `<span style="left:${percent((hour - from) / (to - from))}">${hour}:00</span>`)
    .join('');
}

/** A narrower bar has no room for a readable label, only for its color. */
const MIN_LABEL_PART = 0.04;

function barHtml(bar: Bar, index: number, from: number, length: number): string {
  const start = Math.max(0, (bar.start - from) / length);
  const end = Math.min(1, (bar.end - from) / length);
  const color = colorOf(bar);
  const style = `left:${percent(start)};width:${percent(end - start)};--bar:${color};--on:${textOn(color)}`;
  const detail = bar.detail === undefined || bar.detail === bar.label ? '' : `, ${bar.detail}`;
  // A state is read in the details: its lane is low.
  const isNamed = bar.isActive === undefined && end - start >= MIN_LABEL_PART;
  const about = `${span(bar)}, ${durationText(bar.seconds)}: ${bar.label}${detail}`;
  // One stop of the Tab key per lane; arrows move inside it.
  return `<button type="button" class="bar" tabindex="${index === 0 ? 0 : -1}" style="${style}" data-at="${formatDateTime(bar.start)}" data-until="${formatDateTime(bar.end)}" aria-label="${shown(about)}">${isNamed ? shown(bar.label) : ''}</button>`;
}

/** Programs have the color of their kind, and states are drawn softly, because they are not what a reader looks for. */
function colorOf({ category, isActive, color, label }: Bar): string {
  if (isActive !== undefined) return isActive ? 'var(--quiet)' : 'var(--line)';
  if (category !== undefined) return `var(--${category})`;
  // Several tags look like the first one, as in the top list.
  return color ?? colorOfName(label.split(', ')[0] ?? '');
}

function topList(name: string, items: readonly TopItem[], total: number): string {
  if (items.length === 0) return '';
  const rows = items.map(({ name, category = 'other', seconds }) => {
    const bar = `var(--${category})`;
    const part = percent(total === 0 ? 0 : Math.min(1, seconds / total));
    return `<li style="--bar:${bar};--part:${part}"><span title="${shown(name)}">${shown(name)}</span><span>${durationText(seconds)}</span><span class="soft">${share(seconds, total)}</span></li>`;
  });
  return `<section><h2>${name}</h2><ol>${rows.join('')}</ol></section>`;
}

function tableHtml(days: readonly DayPicture[]): string {
  const hasDates = days.length > 1;
  const rows = days.flatMap(({ day, computer, applications, documents, tags }) =>
    Object.entries({ Computer: computer, Application: applications, Document: documents, Tag: tags })
      .flatMap(([lane, bars]) => bars.map((bar) => ({ lane, bar })))
      .toSorted((a, b) => a.bar.start - b.bar.start)
      .map(
        ({ lane, bar }) =>
          `<tr>${hasDates ? `<td>${formatDate(day)}</td>` : ''}<td>${span(bar)}</td><td>${durationText(bar.seconds)}</td><td>${lane}</td><td class="text">${shown(bar.label)}</td><td class="text">${shown(bar.detail ?? '')}</td></tr>`,
      ),
  );
  const heads = [...(hasDates ? ['Date'] : []), 'Time', 'Duration', 'Kind', 'Name', 'Detail'].map(
    (head) => `<th scope="col">${head}</th>`,
  );
  return `<details><summary>All of it as a table (${rows.length} rows)</summary><div class="scroll" role="region" aria-label="Table" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`;
}

/** `09:00–09:30` */
function span({ start, end }: Bar): string {
  return `${formatDateTime(start).slice(11, 16)}–${formatDateTime(end).slice(11, 16)}`;
}

/** A stable color for what has none in ManicTime. */
function colorOfName(name: string): string {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  // The golden angle: names that differ in their last letter get colors far apart.
  return `hsl(${Math.round(hash * 137.508) % 360} 45% 62%)`;
}

/** Black or white, whichever contrasts more. */
function textOn(color: string): string {
  if (color === 'var(--code)') return '#fff';
  if (color.startsWith('var')) return '#000';
  const [, red = 'ff', green = 'ff', blue = 'ff'] = /^#(..)(..)(..)$/.exec(color) ?? [];
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => (Number.parseInt(part, 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000' : '#fff';
}

const MAX_TEXT_CODE_POINTS = 300;

/** A text of others: invisible characters are escaped, then markup. */
function shown(text: string): string {
  return escapeHtml(truncateCodePoints(escapeInvisible(text), MAX_TEXT_CODE_POINTS));
}
