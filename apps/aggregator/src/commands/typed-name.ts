/** What a person types to run this program again: `npx` and a clone have no command of its name. */
export function typedName(env: Readonly<Record<string, string | undefined>>): string {
  const { npm_lifecycle_event: script, npm_package_name: owner } = env;
  if (script === 'npx') return 'npx @deskside/aggregator';
  return script === 'start' && owner === 'deskside' ? 'npm start --' : 'deskside';
}
