/** Serves one external server over HTTP without a token, and prints the URL. `node http-desk.ts COMMAND [ARGUMENT…]`. */
import { silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { deskWith, running } from './external.ts';

const [, , command = '', ...args] = process.argv;
const desk = await deskWith({ x: running({ command, args }, { flat: true }) });
const serving = await serve(desk.aggregator.definition, {
  log: silentLog,
  ownsProcess: false,
  http: { port: 0, auth: 'none' },
});
process.stdout.write(`${serving.url}\n`);
// The program ends with its parent.
process.stdin.resume().on('end', () => process.exit());
