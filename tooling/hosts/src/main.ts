import { existsSync, writeFileSync } from 'node:fs';
import { type Host, HOSTS } from './hosts.ts';
import { measure, measureWait } from './measure.ts';
import { PAGE, pageOf, type Results, RESULTS, storedResults } from './page.ts';

const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const at = asked.indexOf('--wait');
const [, seconds] = at === -1 ? [] : asked.splice(at, 2);
const unknown = asked.filter((id) => !HOSTS.some((host) => host.id === id));
if (unknown.length > 0) {
  console.error(`Unknown host: ${unknown.join(', ')}. Hosts: ${HOSTS.map(({ id }) => id).join(', ')}.`);
  process.exit(1);
}
const hosts = HOSTS.filter(({ id }) => asked.length === 0 || asked.includes(id));

async function run(host: Host): Promise<void> {
  try {
    const { id } = host;
    const added = seconds === undefined ? await measure(host) : await measureWait(host, Number(seconds));
    console.log(host.title, added);
    store((results) =>
      typeof added === 'string'
        ? { ...results, waits: { ...results.waits, [id]: { ...results.waits[id], [`${seconds}`]: added } } }
        : { ...results, hosts: { ...results.hosts, [id]: added } },
    );
  } catch (error) {
    console.error(`${host.title}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

/** After each host: a later one may fail. */
function store(change: (results: Results) => Results): void {
  const stored = existsSync(RESULTS) ? storedResults() : { measured: '', hosts: {}, waits: {} };
  const results = { ...change(stored), measured: new Date().toISOString().slice(0, 10) };
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(PAGE, pageOf(results));
}

/** Waiting needs no processor, but starting does. */
const TURN_MS = 10_000;

if (seconds === undefined) for (const host of hosts) await run(host);
else {
  await Promise.all(
    hosts.map(async (host, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * TURN_MS));
      await run(host);
    }),
  );
}
