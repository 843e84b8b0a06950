import type { Program } from '@deskside/core/cli';
import type { Self } from '../attach/self.ts';

/** @param self with the version of this program; tests also run the next version */
export const program = (self: Self): Program => ({
  name: 'deskside',
  version: self.version,
  summary: 'Serve all Deskside servers as one MCP endpoint.',
  commands: {
    stdio: {
      summary: 'Serve all mounts to the client that started this process.',
      load: async () => (await import('./stdio.ts')).stdio(self),
    },
    http: {
      summary: 'Serve all mounts over Streamable HTTP.',
      load: async () => (await import('./http.ts')).http(self),
    },
    desk: {
      summary: 'Serve the clients of "deskside stdio", which starts this command when it needs it.',
      load: async () => (await import('./desk.ts')).desk(self),
    },
    status: {
      summary: 'Show the desk and the clients that use it.',
      load: async () => (await import('./status.ts')).status(self),
    },
    stop: {
      summary: 'Stop the desk. It starts again when a client needs it.',
      load: async () => (await import('./stop.ts')).stop(self),
    },
    connect: {
      summary: 'Add Deskside to the configuration of a client, or take it back.',
      load: async () => (await import('./connect.ts')).connect(self),
    },
    import: {
      summary: 'Copy the servers of a client into deskside.toml.',
      load: async () => (await import('./import.ts')).importServers,
    },
    add: {
      summary: 'Add another MCP server to the desk.',
      load: async () => (await import('./add.ts')).add,
    },
    remove: {
      summary: 'Remove another MCP server from the desk.',
      load: async () => (await import('./remove.ts')).remove,
    },
    list: {
      summary: 'List the mounts with their state and their number of tools.',
      load: async () => (await import('./list.ts')).list(self),
    },
    check: {
      summary: 'Check deskside.toml.',
      load: async () => (await import('./check.ts')).check,
    },
    apply: {
      summary: 'Show what has changed in deskside.toml, and accept it.',
      load: async () => (await import('./apply.ts')).apply,
    },
    log: {
      summary: 'Show what agents asked, reported and called, and how it ended.',
      load: async () => (await import('./log.ts')).log,
    },
    quiet: {
      summary: 'Not now: no popup opens for a time, for all agents or for one.',
      load: async () => (await import('./quiet.ts')).quiet,
    },
    activity: {
      summary: 'Show who called which tool.',
      load: async () => (await import('./log.ts')).activity,
    },
    'token show': {
      summary: 'Print the main bearer token of "deskside http".',
      load: async () => (await import('./token.ts')).tokenShow,
    },
    'token create': {
      summary: 'Create a token for one client or user, and print it once.',
      load: async () => (await import('./token.ts')).tokenCreate,
    },
    'token list': {
      summary: 'List the tokens with their users and profiles.',
      load: async () => (await import('./token.ts')).tokenList,
    },
    'token revoke': {
      summary: 'Delete a token.',
      load: async () => (await import('./token.ts')).tokenRevoke,
    },
    'token rotate': {
      summary: 'Replace a token.',
      load: async () => (await import('./token.ts')).tokenRotate,
    },
    data: {
      summary: 'List the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).data(self),
    },
    'data wipe': {
      summary: 'Delete the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).dataWipe(self),
    },
    doctor: {
      summary: 'Check that all mounts can be served here.',
      load: async () => (await import('./doctor.ts')).doctor(self),
    },
  },
});
