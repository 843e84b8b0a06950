import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CheckResult, command, resultOf } from '../check.ts';
import type { Runtime } from './install.ts';

/** What a later version adds to the desk database. Migrations only add. */
const LATER = `ALTER TABLE "items" ADD COLUMN "later" text; CREATE TABLE "later" ("number" integer PRIMARY KEY NOT NULL);`;
/** The end of the list of migrations in the built package. */
const END = /(MIGRATIONS = \[[^\]]*?),?\s*\];/;

/** Records an item, and prints the answer of each one, whatever version recorded it. */
const PROGRAM = `
import { openUserJournal } from '@deskside/desktop';
const [, id] = process.argv;
const journal = openUserJournal();
journal.begin({ id, kind: 'question', caller: 'a', user: 'owner', content: { text: id } }).end('answered', 'window', id);
console.log((await journal.records()).map(({ content }) => content?.answer).join());
if (journal.problem !== undefined) console.log(journal.problem);
await journal[Symbol.asyncDispose]();
`;

/** Two versions of a server use one desk database on each Node.js: the older one was installed first, and goes on. */
export async function checkVersions(
  title: string,
  name: string,
  folder: string,
  runtimes: readonly Runtime[],
): Promise<CheckResult> {
  const later = `${folder}-later`;
  await cp(folder, later, { recursive: true });
  const file = join(later, 'node_modules', name, 'dist/index.js');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace(END, (_, list: string) => `${list}, ${JSON.stringify(LATER)}];`),
  );
  const faults =
    (await readFile(file, 'utf8')) === text ? ['the built package has no list of migrations'] : [];
  let wanted = '';
  const turns = runtimes.flatMap((runtime) => [folder, later, folder].map((cwd) => ({ cwd, runtime })));
  for (const [index, { cwd, runtime }] of turns.entries()) {
    const env = {
      PATH: [runtime.folder, process.env['PATH']].join(delimiter),
      XDG_STATE_HOME: join(folder, 'state'),
    };
    const args = ['--input-type=module', '--eval', PROGRAM, String(index)];
    const { stdout, stderr } = await command('node', args, { cwd, env });
    wanted += `${index === 0 ? '' : ','}${index}`;
    if (stdout.trim() !== wanted)
      faults.push(`${cwd} on ${runtime.label} prints ${stdout} instead of ${wanted}`, stderr);
  }
  return resultOf(title, faults);
}
