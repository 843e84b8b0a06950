/**
 * Calls a server that needs a login: once, and many times at once after a line on stdin. `node login-process.ts URL FOLDER
 * COUNT`. Prints a line after the first call, and the answers of the others.
 */
import { once } from 'node:events';
import { silentLog } from '@deskside/core';
import { connect } from '@deskside/core/testing';
import { withLogin } from '../login/server-login.ts';
import { LoginStore } from '../login/login-store.ts';
import { deskWith, running, trustingSource } from './external.ts';
import { listingOf } from './fake.ts';

const [, , url = '', folder = '', count = '1'] = process.argv;
const store = new LoginStore(folder);
const spec = withLogin('guard', running({ url }), { env: {}, store });
const sources = { guard: trustingSource(listingOf('ping')) };
const desk = await deskWith({ guard: spec }, { sources, log: silentLog });
const peer = await connect(desk.aggregator.definition);
await peer.callTool('guard_ping');
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const calls = Array.from({ length: Number(count) }, () => peer.callTool('guard_ping'));
const answers = await Promise.all(calls);
process.stdout.write(JSON.stringify(answers.map(({ content }) => content)));
await peer[Symbol.asyncDispose]();
await desk[Symbol.asyncDispose]();
process.stdin.destroy();
