import type { CommandEntry, Program } from '@deskside/core/program';
import type { Self } from '@deskside/connect';

/** What the help says of each command. */
const SUMMARIES = {
  open: 'Open the page of the desk: what needs you, what happens now, what happened today.',
  ask: 'Ask the person a question in a popup and print the answer.',
  log: 'Show what agents asked, reported and called, and how it ended.',
  notify: 'Show and send notifications, and check their services.',
  send: 'Send a notification from a shell or from the hooks of an agent.',
  todo: 'Show and change the tasks.',
  day: 'Write a day or a week at the computer as one HTML file.',
  quiet: 'Not now: no popup opens for a time, for all agents or for one.',
  connect: 'Add Deskside to the configuration of a client, or take it back.',
  stdio: 'Serve all mounts to the client that started this process.',
  http: 'Serve all mounts over Streamable HTTP.',
  desk: 'Serve the clients of "deskside stdio", which starts this command when it needs it.',
  status: 'Show the desk, the clients that use it and the mounts.',
  stop: 'Stop the desk. It starts again when a client needs it.',
  'token show': 'Print the main bearer token of "deskside http".',
  'token create': 'Create a token for one client or user, and print it once.',
  'token list': 'List the tokens with their users and profiles.',
  'token revoke': 'Delete a token.',
  'token rotate': 'Replace a token.',
  add: 'Add another MCP server to the desk.',
  remove: 'Remove another MCP server from the desk.',
  login: 'Log in at another MCP server, with the browser.',
  logout: 'Delete the login at another MCP server.',
  import: 'Copy the servers of a client into deskside.toml.',
  list: 'List the mounts with their state and their number of tools.',
  apply: 'Show what has changed in deskside.toml, and accept it.',
  rules: 'List what you always allow or deny.',
  'rules allow': 'Always allow a tool of another server to one client.',
  'rules deny': 'Never allow a tool of another server to one client.',
  'rules remove': 'Remove a rule.',
  doctor: 'Check that all mounts can be served here.',
  data: 'List the files that Deskside stores on this machine.',
  'data keep': 'Show or change how long texts and records are kept.',
  'data wipe': 'Delete the files that Deskside stores on this machine.',
};

/** The code of each command, in the order of the help. */
const codeOf = (self: Self): Readonly<Record<keyof typeof SUMMARIES, CommandEntry['load']>> => ({
  open: async () => (await import('./ask-desk.ts')).open(self),
  ask: forward('deskside ask', 'popup', 'deskside-notify-popup', 'ask'),
  log: async () => (await import('./log.ts')).log,
  notify: forward('deskside notify', 'log', 'deskside-log-notify'),
  send: forward('deskside send', 'log', 'deskside-log-notify', 'send'),
  todo: forward('deskside todo', 'todo', 'deskside-todo'),
  day: forward('deskside day', 'manictime', 'deskside-manictime', 'report'),
  quiet: async () => (await import('./quiet.ts')).quiet,
  connect: async () => (await import('./connect.ts')).connect(self),
  stdio: async () => (await import('./stdio.ts')).stdio(self),
  http: async () => (await import('./http.ts')).http(self),
  desk: async () => (await import('./desk.ts')).desk(self),
  status: async () => (await import('./status.ts')).status(self),
  stop: async () => (await import('./ask-desk.ts')).stop(self),
  'token show': async () => (await import('./token.ts')).tokenShow,
  'token create': async () => (await import('./token.ts')).tokenCreate,
  'token list': async () => (await import('./token.ts')).tokenList,
  'token revoke': async () => (await import('./token.ts')).tokenRevoke,
  'token rotate': async () => (await import('./token.ts')).tokenRotate,
  add: async () => (await import('./add.ts')).add,
  remove: async () => (await import('./remove.ts')).remove,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./login.ts')).logout,
  import: async () => (await import('./import.ts')).importServers,
  list: async () => (await import('./list.ts')).list(self),
  apply: async () => (await import('./apply.ts')).apply,
  rules: async () => (await import('./rules.ts')).rules,
  'rules allow': async () => (await import('./rules.ts')).rulesAllow,
  'rules deny': async () => (await import('./rules.ts')).rulesDeny,
  'rules remove': async () => (await import('./rules.ts')).rulesRemove,
  doctor: async () => (await import('./doctor.ts')).doctor(self),
  data: async () => (await import('./data.ts')).data(self),
  'data keep': async () => (await import('./data.ts')).dataKeep,
  'data wipe': async () => (await import('./data.ts')).dataWipe(self),
});

/** What people use. The help has the names of the others. */
const USED = new Set('open log todo day quiet connect status add apply doctor'.split(' '));

/** @param self with the version of this program; tests also run the next version */
export function program(self: Self): Program {
  const summaries: Readonly<Record<string, string>> = SUMMARIES;
  const entries = Object.entries(codeOf(self)).map(([name, load]) => {
    const group = USED.has(name) ? 'Commands' : 'Others';
    return [name, { summary: summaries[name] ?? '', load, group }] as const;
  });
  return {
    name: 'deskside',
    version: self.version,
    summary: 'Serve all Deskside servers as one MCP endpoint.',
    commands: Object.fromEntries(entries),
  };
}

/** The commands of a mount's program, or the one that is named. */
function forward(typed: string, mount: string, bin: string, command?: string): CommandEntry['load'] {
  return async () => (await import('./forwarded.ts')).forwarded({ mount, bin, typed }, command);
}
