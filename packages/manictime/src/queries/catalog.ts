import { drawDays } from '../analysis/day-picture.ts';
import { buildNarrative, type NarrativeOptions } from '../analysis/narrative.ts';
import { search } from '../analysis/search.ts';
import { summarizePeriod } from '../analysis/period-summary.ts';
import { sumTime } from '../analysis/sums.ts';
import { stateTotals, tagTotals } from '../analysis/totals.ts';
import type { CategorizedSource } from '../analysis/range.ts';
import { usageByPeriod } from '../analysis/usage.ts';
import { capabilitiesOf, hasUnknownStates } from '../database/capabilities.ts';
import { readEnvironments } from '../database/environments.ts';
import { dataSpan, dataSpans } from '../database/timelines.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { addScreenshots } from '../screenshots/selection.ts';
import { findRows } from './rows.ts';
import { reportRules, unusedRules } from './rule-report.ts';
import { findShot, listShots } from './screenshots.ts';
import type { QuerySources } from './sources.ts';

/** A query that reads the database in one transaction. */
const reading =
  <Input, Result>(work: (source: CategorizedSource, input: Input) => Result) =>
  ({ read, rules, categoryOf }: QuerySources, input: Input): Promise<Result> =>
    read((snapshot) => work({ snapshot, rules, categoryOf }, input));

/** Everything that is read from ManicTime's data. Inputs and results are plain data: they travel between threads. */
export const queries = {
  narrative: async (
    sources: QuerySources,
    { range, options }: { readonly range: LocalRange; readonly options: NarrativeOptions },
  ) => {
    const { read, rules, screenshots, checkpoint } = sources;
    const { narrative, timeBase } = await read((snapshot) => ({
      narrative: buildNarrative({ snapshot, range, rules }, options),
      timeBase: snapshot.timeBase,
    }));
    const { screen: _, ...known } = narrative;
    const illustrated = await addScreenshots(narrative, range, timeBase, screenshots, checkpoint);
    return { ...known, ...illustrated, notes: [...narrative.notes, ...illustrated.notes] };
  },
  periodSummary: reading(summarizePeriod),
  usageByPeriod: reading(usageByPeriod),
  rows: reading(findRows),
  tagTotals: reading(tagTotals),
  stateTotals: reading(stateTotals),
  search: reading(search),
  sumTime: reading(sumTime),
  picture: reading(drawDays),
  screenshots: listShots,
  screenshot: findShot,
  timelines: reading(({ snapshot }, _: undefined) => snapshot.timelines),
  environments: reading(({ snapshot }, _: undefined) => readEnvironments(snapshot.layout)),
  dataSpans: reading(({ snapshot }, _: undefined) => dataSpans(snapshot)),
  dataSpan: reading(({ snapshot }, _: undefined) => dataSpan(snapshot)),
  localTime: reading(({ snapshot }, { instant }: { readonly instant: number }) =>
    snapshot.localTime(instant),
  ),
  capabilities: reading(({ snapshot }, _: undefined) => ({
    ...capabilitiesOf(snapshot),
    unknownStates: hasUnknownStates(snapshot),
    environments: readEnvironments(snapshot.layout),
  })),
  ruleReport: reportRules,
  unusedRules,
};

export type Queries = typeof queries;
export type QueryName = keyof Queries;
/** What a query needs to know; undefined if nothing. */
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]>[1];
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]>>;
