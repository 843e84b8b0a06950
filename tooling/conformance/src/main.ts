import { runConformance } from './run.ts';

const results = await runConformance();
const sets = Map.groupBy(results, ({ name }) => name.slice(0, name.indexOf(':')));

for (const { name, status, detail } of results) {
  console.log(`${status === 'passed' ? '✓' : '✗'} ${name}`);
  if (detail !== undefined) console.log(detail.replaceAll(/^/gm, '    '));
}
console.log();
for (const [set, members] of sets) {
  const passed = members.filter(({ status }) => status === 'passed').length;
  console.log(`${set.padEnd(30)} ${passed} of ${members.length} passed`);
}
process.exitCode = results.every(({ status }) => status === 'passed') ? 0 : 1;
