import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Host, HOSTS } from './hosts.ts';
import { measure, measureFirstTurns } from './measure.ts';
import { measureQuestions } from './questions.ts';
import { PAGE, pageOf, RESULTS, storedResults, withFacts } from './page.ts';

const { values, positionals: asked } = parseArgs({
  // `pnpm hosts -- <host>` passes the dashes on.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { questions: { type: 'boolean' }, turns: { type: 'boolean' } },
  allowPositionals: true,
});

const unknown = asked.filter((id) => !HOSTS.some((host) => host.id === id));
if (unknown.length > 0) {
  console.error(`Unknown host: ${unknown.join(', ')}. Hosts: ${HOSTS.map(({ id }) => id).join(', ')}.`);
  process.exit(1);
}
const hosts = HOSTS.filter(({ id }) => asked.length === 0 || asked.includes(id));

const part = values.questions === true ? 'questions' : values.turns === true ? 'turns' : 'hosts';
const MEASURES = { hosts: measure, turns: measureFirstTurns, questions: measureQuestions };

async function run(host: Host): Promise<void> {
  try {
    const added = await MEASURES[part](host);
    console.log(host.title, added);
    // Read now: another host may have ended meanwhile.
    const results = withFacts(storedResults(), part, host.id, added, new Date().toISOString().slice(0, 10));
    writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
    writeFileSync(PAGE, pageOf(readFileSync(PAGE, 'utf8'), results));
  } catch (error) {
    // What is stored of it stays.
    console.error(`${host.title}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

/** Waiting needs no processor, but starting does. */
const TURN_MS = 10_000;

if (part !== 'questions') for (const host of hosts) await run(host);
else {
  await Promise.all(
    hosts.map(async (host, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * TURN_MS));
      await run(host);
    }),
  );
}
