import type { Program } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };

export const program: Program = {
  name: 'deskside',
  version: manifest.version,
  summary: 'Serve all Deskside servers as one MCP endpoint.',
  commands: {
    stdio: {
      summary: 'Serve all mounts to the client that started this process.',
      load: async () => (await import('./stdio.ts')).stdio,
    },
    http: {
      summary: 'Serve all mounts over Streamable HTTP.',
      load: async () => (await import('./http.ts')).http,
    },
    list: {
      summary: 'List the mounts with their state and their number of tools.',
      load: async () => (await import('./list.ts')).list,
    },
    'token show': {
      summary: 'Print the bearer token that clients of "deskside http" send.',
      load: async () => (await import('./token.ts')).tokenShow,
    },
    doctor: {
      summary: 'Check that all mounts can be served here.',
      load: async () => (await import('./doctor.ts')).doctor,
    },
  },
};
