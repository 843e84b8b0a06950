import { diagnosticsOf } from '@deskside/core';
import { readEnvironments } from '../health/environment.ts';
import type { Note } from '../timeline/note.ts';
import { jsonResource } from './json-resource.ts';

const noDevices: Note = {
  degraded: true,
  reasonCode: 'NoEnvironment',
  remediationHint:
    'The database names no device: its name and versions are unknown. Update ManicTime and start it once.',
};

export const environment = jsonResource({
  uri: 'manictime://environment',
  name: 'environment',
  title: 'Environment',
  description: 'The devices that were tracked: name, operating system, versions of ManicTime and .NET.',
  async read({ database }, { signal }) {
    const environments = await database.read(readEnvironments, signal);
    return { environments, diagnostics: diagnosticsOf(environments.length === 0 ? [noDevices] : []) };
  },
});
