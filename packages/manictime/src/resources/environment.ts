import { readEnvironments } from '../health/environment.ts';
import { jsonResource } from './json-resource.ts';

export const environment = jsonResource({
  uri: 'manictime://environment',
  name: 'environment',
  title: 'Environment',
  description: 'The devices that were tracked: name, operating system, versions of ManicTime and .NET.',
  async read({ database }, { signal }) {
    return { environments: await database.read(readEnvironments, signal) };
  },
});
