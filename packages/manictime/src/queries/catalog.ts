import { drawDays } from '../analysis/day-picture.ts';
import { buildNarrative, type NarrativeOptions } from '../analysis/narrative.ts';
import { search, type SearchRequest } from '../analysis/search.ts';
import { summarizePeriod } from '../analysis/period-summary.ts';
import { sumTime, type SumRequest } from '../analysis/sums.ts';
import { stateTotals, tagTotals } from '../analysis/totals.ts';
import { usageByPeriod, type UsageRequest } from '../analysis/usage.ts';
import { capabilitiesOf, hasUnknownStates } from '../database/capabilities.ts';
import { readEnvironments } from '../database/environments.ts';
import { dataSpan, dataSpans } from '../database/timelines.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { addScreenshots } from '../screenshots/illustration.ts';
import { findRows, type RowsRequest } from './rows.ts';
import { reportRules, unusedRules } from './rule-report.ts';
import { findShot, listShots } from './screenshots.ts';
import type { QuerySources } from './sources.ts';

/** Everything that is read from ManicTime's data. Inputs and results are plain data: they travel between threads. */
export const queries = {
  narrative: async (
    sources: QuerySources,
    { range, options }: { readonly range: LocalRange; readonly options: NarrativeOptions },
  ) => {
    const { read, rules, screenshots, checkpoint } = sources;
    const { narrative, timeBase } = await read((snapshot) => ({
      narrative: buildNarrative(snapshot, range, rules, options),
      timeBase: snapshot.timeBase,
    }));
    const { screen: _, ...known } = narrative;
    const illustrated = await addScreenshots(narrative, range, timeBase, screenshots, checkpoint);
    return { ...known, ...illustrated, notes: [...narrative.notes, ...illustrated.notes] };
  },

  periodSummary: ({ read, rules }: QuerySources, { range }: { readonly range: LocalRange }) =>
    read((snapshot) => summarizePeriod(snapshot, range, rules)),

  usageByPeriod: ({ read, rules }: QuerySources, request: UsageRequest) =>
    read((snapshot) => usageByPeriod(snapshot, request, rules)),

  rows: ({ read, rules }: QuerySources, request: RowsRequest) =>
    read((snapshot) => findRows(snapshot, request, rules)),

  tagTotals: ({ read, rules }: QuerySources, { range }: { readonly range: LocalRange }) =>
    read((snapshot) => tagTotals(snapshot, range, rules)),

  stateTotals: ({ read, rules }: QuerySources, { range }: { readonly range: LocalRange }) =>
    read((snapshot) => stateTotals(snapshot, range, rules)),

  search: ({ read, rules }: QuerySources, request: SearchRequest) =>
    read((snapshot) => search(snapshot, request, rules)),

  sumTime: ({ read, rules, categoryOf }: QuerySources, request: SumRequest) =>
    read((snapshot) => sumTime(snapshot, request, rules, categoryOf)),

  picture: ({ read, rules, categoryOf }: QuerySources, { range }: { readonly range: LocalRange }) =>
    read((snapshot) => drawDays(snapshot, range, rules, categoryOf)),

  screenshots: listShots,

  screenshot: (sources: QuerySources, { reference }: { readonly reference: string }) =>
    findShot(sources, reference),

  timelines: ({ read }: QuerySources) => read(({ timelines }) => timelines),

  environments: ({ read }: QuerySources) => read(readEnvironments),

  dataSpans: ({ read }: QuerySources) => read(dataSpans),

  dataSpan: ({ read }: QuerySources) => read(dataSpan),

  localTime: ({ read }: QuerySources, { instant }: { readonly instant: number }) =>
    read((snapshot) => snapshot.localTime(instant)),

  capabilities: ({ read }: QuerySources) =>
    read((snapshot) => ({
      ...capabilitiesOf(snapshot),
      unknownStates: hasUnknownStates(snapshot),
      environments: readEnvironments(snapshot),
    })),

  ruleReport: reportRules,

  unusedRules,
};

export type Queries = typeof queries;
export type QueryName = keyof Queries;
/** What a query needs to know; undefined if nothing. */
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]>[1];
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]>>;
