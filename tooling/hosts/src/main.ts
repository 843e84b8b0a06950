import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Host, HOSTS } from './hosts.ts';
import { measure, measureWait } from './measure.ts';
import { measureDenial, measureQuestions, measureSearch } from './questions.ts';
import { PAGE, pageOf, type Results, RESULTS, storedResults } from './page.ts';

const { values, positionals: asked } = parseArgs({
  // `pnpm hosts -- <host>` passes the dashes on.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    wait: { type: 'string' },
    questions: { type: 'boolean' },
    denial: { type: 'boolean' },
    search: { type: 'boolean' },
  },
  allowPositionals: true,
});
const { wait: seconds, questions = false, denial: denies = false, search: searches = false } = values;

const unknown = asked.filter((id) => !HOSTS.some((host) => host.id === id));
if (unknown.length > 0) {
  console.error(`Unknown host: ${unknown.join(', ')}. Hosts: ${HOSTS.map(({ id }) => id).join(', ')}.`);
  process.exit(1);
}
const hosts = HOSTS.filter(({ id }) => asked.length === 0 || asked.includes(id));

async function run(host: Host): Promise<void> {
  try {
    const { id } = host;
    const part = denies || searches || questions ? 'questions' : seconds !== undefined ? 'waits' : 'hosts';
    const added = await measured(host);
    console.log(host.title, added);
    store((results) => {
      const before = part === 'hosts' ? {} : results[part]?.[id];
      const measured = { ...results.measured, [part]: { ...results.measured[part], [id]: today() } };
      return { ...results, measured, [part]: { ...results[part], [id]: { ...before, ...added } } };
    });
  } catch (error) {
    console.error(`${host.title}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function measured(host: Host): Promise<object> {
  if (denies) return measureDenial(host);
  if (searches) return measureSearch(host);
  if (questions) return measureQuestions(host);
  return seconds === undefined ? measure(host) : measureWait(host, Number(seconds));
}

const NO_RESULTS: Results = { measured: { hosts: {}, waits: {}, questions: {} }, hosts: {}, waits: {} };

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** After each host: a later one may fail. */
function store(change: (results: Results) => Results): void {
  const stored = existsSync(RESULTS) ? storedResults() : NO_RESULTS;
  const results = change(stored);
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(PAGE, pageOf(results));
}

/** Waiting needs no processor, but starting does. */
const TURN_MS = 10_000;

if (seconds === undefined && !questions) for (const host of hosts) await run(host);
else {
  await Promise.all(
    hosts.map(async (host, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * TURN_MS));
      await run(host);
    }),
  );
}
