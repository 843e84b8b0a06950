import { shown } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import type { UsageTotal } from '../usage/usage.ts';
import { TOP_CAP } from './limits.ts';

export function topApplicationsOf(totals: readonly UsageTotal[]) {
  return totals.slice(0, TOP_CAP).map(({ thing, seconds }) => ({
    name: shown(thing.name),
    color: thing.color,
    totalMinutes: minutesOf(seconds),
  }));
}

export function topWebsitesOf(totals: readonly UsageTotal[]) {
  return totals
    .slice(0, TOP_CAP)
    .map(({ thing, seconds }) => ({ name: shown(thing.name), totalMinutes: minutesOf(seconds) }));
}
