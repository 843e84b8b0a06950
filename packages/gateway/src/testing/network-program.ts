/** Prints what each address answers to a desk, or why it does not: `node network-program.ts URL…`. */
import { reasonOf } from '../external/reasons.ts';
import { fetchWithLogin } from '../external/server-fetch.ts';
import { systemTransports } from '../external/transport.ts';

const openTransport = systemTransports(process.env);
for (const url of process.argv.slice(2)) {
  openTransport({ url }, { maxMessageBytes: 1000, onStderr() {} });
  const named = { id: 'x', title: url, redact: (text: string) => text };
  const text = await fetchWithLogin(url, {}, { url }).then(
    (response) => response.text(),
    (error: unknown) => reasonOf(error, named),
  );
  process.stdout.write(`${text}\n`);
}
