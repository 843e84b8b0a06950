const PRELOAD = import.meta.resolve('@deskside/notify-popup/testing/persons-display');

/** The environment of `src/cli.ts` with a person who is logged in at this display, whatever display the program has itself. */
export function withPersonAt(
  { DISPLAY = '', XAUTHORITY = '' }: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const test = { TEST_DISPLAY: DISPLAY, TEST_XAUTHORITY: XAUTHORITY };
  return { ...env, ...test, NODE_OPTIONS: `--import=${PRELOAD}` };
}
