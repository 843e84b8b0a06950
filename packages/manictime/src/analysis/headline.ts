import { DAY, formatDate, formatDateTime, type WallTime } from '@deskside/core/dates';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type { LocalRange } from '../database/model/activity.ts';
import { durationText } from '../database/model/time.ts';
import { type ItemTotal, Sums } from './group.ts';
import { dayKey } from './keys.ts';
import type { RangeFacts } from './range.ts';

const TOP = 3;
const MAX_NAME_CODE_POINTS = 40;

/** What a headline says: all time by day, with stretches. */
export function headlineSums(): Sums {
  return new Sums({ by: [dayKey], stretches: 'total' });
}

/**
 * `09:03 to 18:34, 7 h 49 min active, 4 breaks, longest stretch 1 h 52 min; Chrome 55 %, …; 21 % tagged`. Undefined without
 * active time of single rows.
 *
 * The tagged share is that of single rows: only these have tags.
 */
export function headlineText(
  { from, to }: LocalRange,
  { total }: Sums,
  applications: readonly ItemTotal[],
  { tagged, seconds: recorded }: Pick<RangeFacts, 'seconds' | 'tagged'>,
): string | undefined {
  const { count = 0, longest = 0, first, last } = total.stretches?.facts() ?? {};
  if (first === undefined || last === undefined) return undefined;
  const top = applications.slice(0, TOP).map(({ item, seconds }) => {
    const name = truncateCodePoints(escapeInvisible(item.name), MAX_NAME_CODE_POINTS);
    return `${name} ${percent(seconds, total.seconds)}`;
  });
  const active = `${durationText(total.seconds)} active`;
  const days = total.parts();
  const [busiest] = days.toSorted((a, b) => b.seconds - a.seconds);
  const when =
    to - from <= DAY
      ? [`${clockOf(first)} to ${clockOf(last)}`, active, breaksText(count)]
      : [
          `${active} on ${days.length} ${days.length === 1 ? 'day' : 'days'}`,
          ...(busiest === undefined
            ? []
            : [`most on ${formatDate(Number(busiest.value))} (${durationText(busiest.seconds)})`]),
        ];
  return [
    [...when, `longest stretch ${durationText(longest)}`].join(', '),
    top.join(', '),
    `${percent(tagged, recorded)} tagged`,
  ].join('; ');
}

function percent(seconds: number, whole: number): string {
  return `${Math.round((seconds / whole) * 100)} %`;
}

/** Between stretches: without active time for more than two minutes. */
function breaksText(stretches: number): string {
  if (stretches <= 1) return 'no break';
  return stretches === 2 ? '1 break' : `${stretches - 1} breaks`;
}

function clockOf(time: WallTime): string {
  return formatDateTime(time).slice(11, 16);
}
