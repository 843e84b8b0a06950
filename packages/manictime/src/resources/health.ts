import { checkHealth } from '../health/health.ts';
import { jsonResource } from './json-resource.ts';

export const health = jsonResource({
  uri: 'manictime://health',
  name: 'health',
  title: 'Health',
  description: 'Whether the data can be read, what is missing and what to do about it.',
  read: (manictime, { signal }) => checkHealth(manictime, signal),
});
