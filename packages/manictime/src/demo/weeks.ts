import { readFile } from 'node:fs/promises';
import { DAY, formatDate, startOfDay, type WallTime } from '@deskside/core/dates';
import { readDate } from '../analysis/date-range.ts';

/** It has this position relative to the sources, to built files and to bundles. */
export const DATA = new URL('../demo/data/', import.meta.url);
const DAYS = 21;

export interface Span {
  readonly at: WallTime;
  readonly until: WallTime;
}

/** A time in which one window has the keyboard, or the computer is not used. Texts can be empty. */
export interface Turn extends Span {
  /** Without a title: the state of the computer. */
  readonly application: string;
  readonly title: string;
  /** A URL, a path or the name of a chat. */
  readonly document: string;
  readonly group: string;
  /** What a screenshot shows. */
  readonly picture: string;
  readonly tag: string;
}

/** The two weeks of `weeks.tsv`, again and again. The last turn ends now. */
export async function readTurns(now: WallTime): Promise<Turn[]> {
  const windows = new Map((await readTable('windows')).map(([name, ...window]) => [name, window]));
  const days = Map.groupBy(await readTable('weeks'), ([day]) => Number(day));
  const today = startOfDay(now);
  return Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY)
    .flatMap((day) => {
      // 1970-01-05 was a Monday.
      const turns = days.get(((day / DAY - 4) % 14) + 1) ?? [];
      return turns.map(([, time = '', name, tag = '']) => {
        const [application = '', title = '', document = '', group = '', picture = ''] =
          windows.get(name) ?? [];
        const at = readDate(`${formatDate(day)} ${time}`, 'time');
        return { at, application, title, document, group, picture, tag };
      });
    })
    .filter(({ at }) => at < now)
    .map((turn, index, all) => Object.assign(turn, { until: all[index + 1]?.at ?? now }));
}

/** Joins neighbors of one name. Without a name there is nothing. */
export function joined(turns: readonly Turn[], nameOf: (turn: Turn) => string): (Span & { name: string })[] {
  const spans: { at: WallTime; until: WallTime; name: string }[] = [];
  for (const turn of turns) {
    const name = nameOf(turn);
    const last = spans.at(-1);
    if (last?.name === name) last.until = turn.until;
    else spans.push({ at: turn.at, until: turn.until, name });
  }
  return spans.filter(({ name }) => name !== '');
}

/** The lines of a file without its header. */
export async function readTable(name: string): Promise<string[][]> {
  const text = await readFile(new URL(`${name}.tsv`, DATA), 'utf8');
  const [, ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) => line.split('\t'));
}
