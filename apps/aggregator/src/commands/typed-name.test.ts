import { expect, test } from 'vitest';
import { typedName } from './typed-name.ts';

test.each([
  [{}, 'deskside'],
  [{ npm_lifecycle_event: 'npx', npm_package_name: 'mine' }, 'npx @deskside/aggregator'],
  [{ npm_lifecycle_event: 'start', npm_package_name: 'deskside' }, 'npm start --'],
  [{ npm_lifecycle_event: 'start', npm_package_name: 'mine' }, 'deskside'],
])('in the environment %j the program is typed %s', (env, name) => {
  expect(typedName(env)).toBe(name);
});
