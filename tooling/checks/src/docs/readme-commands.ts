/** What is tried of a command in a clone with an empty home and without a display. */
export interface Trial {
  /** What it prints. */
  readonly prints: RegExp;
  /** More arguments, so that it takes no port of this machine. */
  readonly more?: readonly string[];
  readonly input?: string;
  /** It runs until a signal ends it. */
  readonly isServer?: boolean;
  /** Default: 0. */
  readonly code?: number;
}

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_departures', arguments: { stop: 'Harbor' } },
};
const PUBLISHED = 'Needs the published package: the check "tarballs" does the same with the packed one.';

/** Each command of README, in its order, and its trial, or why it is not tried. */
export const COMMANDS: Readonly<Record<string, Trial | string>> = {
  'npm start -- --demo': {
    prints: / manictime +\S+ +\(17 tools\)\n[^]*npm start -- connect [^]*npm start -- token show/,
    more: ['--port', '0'],
    isServer: true,
  },
  'npm run server -- todo --http': { prints: /serves MCP at/, more: ['--port', '0'], isServer: true },
  'npm run example': { prints: /"totalAvailable":5/, input: `${JSON.stringify(CALL)}\n` },
  'npm test': 'Runs this check.',
  './deskside open': 'Opens the browser of a person: apps/page/src/page.e2e.test.ts.',
  // What it says without a display.
  './deskside ask "Tea or coffee?"': { prints: /^no-display: /, code: 8 },
  './deskside todo add Buy tea': { prints: /Buy tea/ },
  './deskside day --demo --date yesterday --out ~/day.html': { prints: /^Wrote .*day\.html: / },
  './deskside log': { prints: /question +.*not shown/ },
  './deskside connect': { prints: /\.\/deskside connect \w/ },
  './deskside --help': { prints: /^Commands:$/m },
  'npx -y @deskside/aggregator connect claude-code': PUBLISHED,
  'npx -y @deskside/todo --http': PUBLISHED,
  'npm install @deskside/core zod': PUBLISHED,
  // A machine without a display has this problem.
  './deskside doctor': { prints: /^Mount todo +ready, 10 tools$/m, code: 1 },
  './deskside data': { prints: /todo\.sqlite/ },
  './deskside connect claude-code --undo': 'Changes a client: apps/aggregator/src/commands/connect.test.ts.',
  './deskside stop': { prints: /^No desk is running\.$/ },
  './deskside data wipe': 'Asks in a terminal: apps/aggregator/src/commands/data.e2e.test.ts.',
};

/** The commands of a page, without comments. */
export function commandsIn(page: string): readonly string[] {
  return [...page.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, lines = '']) =>
    lines
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +# .*/, '')),
  );
}
