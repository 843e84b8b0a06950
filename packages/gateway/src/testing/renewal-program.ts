/** Renews a login again and again until it is killed: `node renewal-program.ts URL FOLDER`. Prints a line after the first time. */
import { withLogin } from '../login/server-login.ts';
import { LoginStore } from '../login/login-store.ts';
import { running } from './external.ts';

const [, , url = '', folder = ''] = process.argv;
const spec = withLogin('guard', running({ url }), { env: {}, store: new LoginStore(folder) });
const server = await spec.server();
if (!('login' in server) || server.login === undefined) throw new Error('no login');
for (let token = await server.login.token(true); ; token = await server.login.renewed(token))
  process.stdout.write('renewed\n');
