import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from './drivers.ts';
import type { Environment } from '../sink.ts';

/** What the notification daemon of a freedesktop session does with a notification now. */
export type DaemonState = 'shows' | 'do not disturb' | 'missing';

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';
const TIMEOUT_MS = 2000;

/** A call of the daemon with string arguments. */
type Call = (method: string, ...args: readonly string[]) => Command;

/** @param program `gdbus` or `dbus-send` */
export function daemonCall(program: string): Call {
  if (program.endsWith('gdbus')) {
    return (method, ...args) => ({
      program,
      args: [
        'call',
        '--session',
        '--timeout=2',
        `--dest=${NAME}`,
        `--object-path=${PATH}`,
        `--method=${method}`,
        ...args,
      ],
    });
  }
  return (method, ...args) => ({
    program,
    args: [
      '--session',
      '--print-reply',
      `--dest=${NAME}`,
      PATH,
      method,
      ...args.map((each) => `string:${each}`),
    ],
  });
}

/** The properties in which daemons say that they show nothing: the specification's, and dunst's. */
const PROPERTIES = [
  [NAME, 'Inhibited'],
  ['org.dunstproject.cmd0', 'paused'],
] as const;

function questions(call: Call): readonly Command[] {
  return [
    call(`${NAME}.GetServerInformation`),
    ...PROPERTIES.map(([from, property]) => call('org.freedesktop.DBus.Properties.Get', from, property)),
  ];
}

/** @param answers output of the questions; undefined for one that failed */
function stateOf([information, ...properties]: readonly (string | undefined)[]): DaemonState {
  if (information === undefined) return 'missing';
  return properties.some((each) => each !== undefined && /\btrue\b/.test(each)) ? 'do not disturb' : 'shows';
}

const run = promisify(execFile);

export async function daemonState(call: Call, env: Environment): Promise<DaemonState> {
  const answers = questions(call).map(async ({ program, args }) =>
    run(program, [...args], { env: { ...env }, timeout: TIMEOUT_MS }).then(
      ({ stdout }) => stdout,
      // Most daemons have only one of the properties, and none without a daemon.
      () => undefined,
    ),
  );
  return stateOf(await Promise.all(answers));
}

/** As `daemonState`, for a command that a person waits for. */
export function daemonStateNow(call: Call, env: Environment): DaemonState {
  return stateOf(
    questions(call).map(({ program, args }) => {
      try {
        const options = { env: { ...env }, timeout: TIMEOUT_MS, encoding: 'utf8', stdio: 'pipe' } as const;
        return execFileSync(program, [...args], options);
      } catch {
        // As above.
        return undefined;
      }
    }),
  );
}
