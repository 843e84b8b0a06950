type Environment = Readonly<Record<string, string | undefined>>;

/** How `deskside stdio` uses a desk. */
export interface AttachArguments {
  readonly name: string | undefined;
  readonly profile: string | undefined;
  readonly timeoutMs: number;
}

export const ATTACH_TIMEOUT_SECONDS = 1;
/** The longest timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const FLAGS = ['--as', '--profile', '--attach-timeout'] as const;
/** The words of `z.stringbool`. */
const ON = /^(?:true|1|yes|on|y|enabled)$/i;

/**
 * Reads the arguments that a desk can respect. Reading all options would cost more than the rest of the start.
 *
 * @param argv behind the program's name
 * @returns undefined if this process must serve the client, or report an error; a text if a person should know why
 */
export function readAttachArguments(
  [command, ...words]: readonly string[],
  env: Environment,
): AttachArguments | string | undefined {
  if (command !== 'stdio' || ON.test(env['DESKSIDE_STANDALONE'] ?? '')) return undefined;
  const given = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const flag = FLAGS.find((name) => word === name || word.startsWith(`${name}=`));
    if (flag === undefined) {
      const isOwn = /^(?:--standalone|--help|-h|--version|-v)$/.test(word);
      return isOwn ? undefined : `${word.split('=')[0]} holds for this process alone`;
    }
    const value = word === flag ? words[(index += 1)] : word.slice(flag.length + 1);
    if (value === undefined || value.startsWith('-')) return undefined;
    given.set(flag, value);
  }
  const seconds = given.get('--attach-timeout') ?? (env['DESKSIDE_ATTACH_TIMEOUT'] || ATTACH_TIMEOUT_SECONDS);
  const timeoutMs = Math.min(Math.ceil(Number(seconds) * 1000), MAX_TIMEOUT_MS);
  if (!(timeoutMs > 0)) return undefined;
  return {
    name: given.get('--as') ?? (env['DESKSIDE_AS'] || undefined),
    profile: given.get('--profile') ?? (env['DESKSIDE_PROFILE'] || undefined),
    timeoutMs,
  };
}
