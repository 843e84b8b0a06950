import type { CommandEntry, Program } from '@deskside/core/program';
import type { Self } from '@deskside/connect';

/** @param self with the version of this program; tests also run the next version */
export const program = (self: Self): Program => ({
  name: 'deskside',
  version: self.version,
  summary: 'Serve all Deskside servers as one MCP endpoint.',
  commands: grouped({
    open: {
      summary: 'Open the page of the desk: what needs you, what happens now, what happened today.',
      load: async () => (await import('./open.ts')).open(self),
    },
    ask: {
      summary: 'Ask the person a question in a popup and print the answer.',
      load: forward('deskside ask', 'popup', 'deskside-notify-popup', 'ask'),
    },
    log: {
      summary: 'Show what agents asked, reported and called, and how it ended.',
      load: async () => (await import('./log.ts')).log,
    },
    notify: {
      summary: 'Show and send notifications, and check their services.',
      load: forward('deskside notify', 'log', 'deskside-log-notify'),
    },
    send: {
      summary: 'Send a notification from a shell or from the hooks of an agent.',
      load: forward('deskside send', 'log', 'deskside-log-notify', 'send'),
    },
    todo: {
      summary: 'Show and change the tasks.',
      load: forward('deskside todo', 'todo', 'deskside-todo'),
    },
    day: {
      summary: 'Write a day or a week at the computer as one HTML file.',
      load: forward('deskside day', 'manictime', 'deskside-manictime', 'report'),
    },
    quiet: {
      summary: 'Not now: no popup opens for a time, for all agents or for one.',
      load: async () => (await import('./quiet.ts')).quiet,
    },
    connect: {
      summary: 'Add Deskside to the configuration of a client, or take it back.',
      load: async () => (await import('./connect.ts')).connect(self),
    },
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
      summary: 'Show the desk, the clients that use it and the mounts.',
      load: async () => (await import('./status.ts')).status(self),
    },
    stop: {
      summary: 'Stop the desk. It starts again when a client needs it.',
      load: async () => (await import('./stop.ts')).stop(self),
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
    add: {
      summary: 'Add another MCP server to the desk.',
      load: async () => (await import('./add.ts')).add,
    },
    remove: {
      summary: 'Remove another MCP server from the desk.',
      load: async () => (await import('./remove.ts')).remove,
    },
    login: {
      summary: 'Log in at another MCP server, with the browser.',
      load: async () => (await import('./login.ts')).login,
    },
    logout: {
      summary: 'Delete the login at another MCP server.',
      load: async () => (await import('./login.ts')).logout,
    },
    import: {
      summary: 'Copy the servers of a client into deskside.toml.',
      load: async () => (await import('./import.ts')).importServers,
    },
    list: {
      summary: 'List the mounts with their state and their number of tools.',
      load: async () => (await import('./list.ts')).list(self),
    },
    apply: {
      summary: 'Show what has changed in deskside.toml, and accept it.',
      load: async () => (await import('./apply.ts')).apply,
    },
    rules: {
      summary: 'List what you always allow or deny.',
      load: async () => (await import('./rules.ts')).rules,
    },
    'rules allow': {
      summary: 'Always allow a tool of another server to one client.',
      load: async () => (await import('./rules.ts')).rulesAllow,
    },
    'rules deny': {
      summary: 'Never allow a tool of another server to one client.',
      load: async () => (await import('./rules.ts')).rulesDeny,
    },
    'rules remove': {
      summary: 'Remove a rule.',
      load: async () => (await import('./rules.ts')).rulesRemove,
    },
    doctor: {
      summary: 'Check that all mounts can be served here.',
      load: async () => (await import('./doctor.ts')).doctor(self),
    },
    data: {
      summary: 'List the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).data(self),
    },
    'data keep': {
      summary: 'Show or change how long texts and records are kept.',
      load: async () => (await import('./data-keep.ts')).dataKeep,
    },
    'data wipe': {
      summary: 'Delete the files that Deskside stores on this machine.',
      load: async () => (await import('./data.ts')).dataWipe(self),
    },
  }),
});

/** What people use. The help has the names of the others. */
const USED = new Set('open log todo day quiet connect status add apply doctor'.split(' '));
const groupOf = (name: string) => (USED.has(name) ? 'Commands' : 'Others');

function grouped(commands: Program['commands']): Program['commands'] {
  const named = Object.entries(commands);
  return Object.fromEntries(named.map(([name, entry]) => [name, { ...entry, group: groupOf(name) }]));
}

/** The commands of a mount's program, or the one that is named. */
function forward(typed: string, mount: string, bin: string, command?: string): CommandEntry['load'] {
  return async () => {
    const { forwardedCommand, forwardedCommands } = await import('./forwarded.ts');
    const names = { mount, bin, typed };
    return command === undefined ? forwardedCommands(names) : forwardedCommand(command, names);
  };
}
