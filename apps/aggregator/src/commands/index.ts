import type { Program } from '@deskside/core/cli';
import type { Self } from '../attach/self.ts';

const AT_THE_DESK = 'At the desk';
const SERVING = 'Clients and the desk';
const SERVERS = 'Other servers';
const MACHINE = 'This machine';

const forwarded = () => import('./forwarded.ts');

/** @param self with the version of this program; tests also run the next version */
export const program = (self: Self): Program => ({
  name: 'deskside',
  version: self.version,
  summary: 'Serve all Deskside servers as one MCP endpoint.',
  commands: {
    open: {
      group: AT_THE_DESK,
      summary: 'Open the page of the desk: what needs you, what happens now, what happened today.',
      load: async () => (await import('./open.ts')).open(self),
    },
    ask: {
      group: AT_THE_DESK,
      summary: 'Ask the person a question in a popup and print the answer.',
      load: async () =>
        (await forwarded()).forwardedCommand('ask', {
          mount: 'popup',
          bin: 'deskside-notify-popup',
          typed: 'deskside ask',
        }),
    },
    log: {
      group: AT_THE_DESK,
      summary: 'Show what agents asked, reported and called, and how it ended.',
      load: async () => (await import('./log.ts')).log,
    },
    activity: {
      group: AT_THE_DESK,
      summary: 'Show who called which tool.',
      load: async () => (await import('./log.ts')).activity,
    },
    notify: {
      group: AT_THE_DESK,
      summary: 'Show and send notifications, and check their services.',
      load: async () =>
        (await forwarded()).forwardedCommands({
          mount: 'log',
          bin: 'deskside-log-notify',
          typed: 'deskside notify',
        }),
    },
    send: {
      group: AT_THE_DESK,
      summary: 'Send a notification from a shell or from the hooks of an agent.',
      load: async () =>
        (await forwarded()).forwardedCommand('send', {
          mount: 'log',
          bin: 'deskside-log-notify',
          typed: 'deskside send',
        }),
    },
    todo: {
      group: AT_THE_DESK,
      summary: 'Show and change the tasks.',
      load: async () =>
        (await forwarded()).forwardedCommands({
          mount: 'todo',
          bin: 'deskside-todo',
          typed: 'deskside todo',
        }),
    },
    day: {
      group: AT_THE_DESK,
      summary: 'Write a day or a week at the computer as one HTML file.',
      load: async () =>
        (await forwarded()).forwardedCommand('report', {
          mount: 'manictime',
          bin: 'deskside-manictime',
          typed: 'deskside day',
        }),
    },
    quiet: {
      group: AT_THE_DESK,
      summary: 'Not now: no popup opens for a time, for all agents or for one.',
      load: async () => (await import('./quiet.ts')).quiet,
    },
    connect: {
      group: SERVING,
      summary: 'Add Deskside to the configuration of a client, or take it back.',
      load: async () => (await import('./connect.ts')).connect(self),
    },
    stdio: {
      group: SERVING,
      summary: 'Serve all mounts to the client that started this process.',
      load: async () => (await import('./stdio.ts')).stdio(self),
    },
    http: {
      group: SERVING,
      summary: 'Serve all mounts over Streamable HTTP.',
      load: async () => (await import('./http.ts')).http(self),
    },
    desk: {
      group: SERVING,
      summary: 'Serve the clients of "deskside stdio", which starts this command when it needs it.',
      load: async () => (await import('./desk.ts')).desk(self),
    },
    status: {
      group: SERVING,
      summary: 'Show the desk, the clients that use it and the mounts.',
      load: async () => (await import('./status.ts')).status(self),
    },
    stop: {
      group: SERVING,
      summary: 'Stop the desk. It starts again when a client needs it.',
      load: async () => (await import('./stop.ts')).stop(self),
    },
    'token show': {
      group: SERVING,
      summary: 'Print the main bearer token of "deskside http".',
      load: async () => (await import('./token.ts')).tokenShow,
    },
    'token create': {
      group: SERVING,
      summary: 'Create a token for one client or user, and print it once.',
      load: async () => (await import('./token.ts')).tokenCreate,
    },
    'token list': {
      group: SERVING,
      summary: 'List the tokens with their users and profiles.',
      load: async () => (await import('./token.ts')).tokenList,
    },
    'token revoke': {
      group: SERVING,
      summary: 'Delete a token.',
      load: async () => (await import('./token.ts')).tokenRevoke,
    },
    'token rotate': {
      group: SERVING,
      summary: 'Replace a token.',
      load: async () => (await import('./token.ts')).tokenRotate,
    },
    add: {
      group: SERVERS,
      summary: 'Add another MCP server to the desk.',
      load: async () => (await import('./add.ts')).add,
    },
    remove: {
      group: SERVERS,
      summary: 'Remove another MCP server from the desk.',
      load: async () => (await import('./remove.ts')).remove,
    },
    login: {
      group: SERVERS,
      summary: 'Log in at another MCP server, with the browser.',
      load: async () => (await import('./login.ts')).login,
    },
    logout: {
      group: SERVERS,
      summary: 'Delete the login at another MCP server.',
      load: async () => (await import('./login.ts')).logout,
    },
    import: {
      group: SERVERS,
      summary: 'Copy the servers of a client into deskside.toml.',
      load: async () => (await import('./import.ts')).importServers,
    },
    list: {
      group: SERVERS,
      summary: 'List the mounts with their state and their number of tools.',
      load: async () => (await import('./list.ts')).list(self),
    },
    apply: {
      group: SERVERS,
      summary: 'Show what has changed in deskside.toml, and accept it.',
      load: async () => (await import('./apply.ts')).apply,
    },
    check: {
      group: SERVERS,
      summary: 'Check deskside.toml: another name of "apply --dry-run".',
      load: async () => (await import('./apply.ts')).check,
    },
    rules: {
      group: SERVERS,
      summary: 'List what you always allow or deny.',
      load: async () => (await import('./rules.ts')).rules,
    },
    'rules allow': {
      group: SERVERS,
      summary: 'Always allow a tool of another server to one client.',
      load: async () => (await import('./rules.ts')).rulesAllow,
    },
    'rules deny': {
      group: SERVERS,
      summary: 'Never allow a tool of another server to one client.',
      load: async () => (await import('./rules.ts')).rulesDeny,
    },
    'rules remove': {
      group: SERVERS,
      summary: 'Remove a rule.',
      load: async () => (await import('./rules.ts')).rulesRemove,
    },
    doctor: {
      group: MACHINE,
      summary: 'Check that all mounts can be served here.',
      load: async () => (await import('./doctor.ts')).doctor(self),
    },
    data: {
      group: MACHINE,
      summary: 'List the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).data(self),
    },
    'data wipe': {
      group: MACHINE,
      summary: 'Delete the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).dataWipe(self),
    },
  },
});
