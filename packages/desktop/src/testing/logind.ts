import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type DBusMessage,
  type DBusValue,
  decodeMessage,
  encodeMessage,
  ERROR,
  METHOD_CALL,
  METHOD_RETURN,
  SIGNAL,
} from '../dbus/message.ts';

const GUID = '0123456789abcdef0123456789abcdef';

/** What logind says about a session: by default it is at the screen, active and not locked. */
export interface FakeSession {
  readonly Id?: string;
  readonly Type?: string;
  readonly Remote?: boolean;
  readonly Active?: boolean;
  readonly LockedHint?: boolean;
  readonly Display?: string;
  /** Default: that of this process. */
  readonly uid?: number;
}

/** What stands in for a bus with logind. Its sessions can change. */
export interface FakeLogind {
  /** Undefined: no logind is on the bus. */
  sessions: readonly FakeSession[] | undefined;
  /** Those that are open now. */
  readonly clients: Set<Socket>;
}

/** Answers at a socket as a bus with logind on it, until the end of the test. */
export async function logindAt(socket: string, sessions: FakeLogind['sessions']): Promise<FakeLogind> {
  const logind: FakeLogind = { sessions, clients: new Set() };
  const server = createServer((client) => {
    logind.clients.add(client);
    client.on('error', () => undefined).on('close', () => logind.clients.delete(client));
    client.once('data', () => {
      client.write(`OK ${GUID}\r\n`);
      answerCalls(client, logind);
    });
  });
  await once(server.listen(socket), 'listening');
  onTestFinished(() => void server.close());
  return logind;
}

const SHOWN_ID = 7;
const CLICKED: DBusMessage = {
  type: SIGNAL,
  serial: 1,
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
  member: 'ActionInvoked',
  signature: 'us',
  body: [SHOWN_ID, 'default'],
};

function answerCalls(socket: Socket, logind: FakeLogind): void {
  let bytes = Buffer.alloc(0);
  let left = 'BEGIN\r\n'.length;
  let serial = 10;
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length < left) return;
    bytes = bytes.subarray(left);
    left = 0;
    for (let next = decodeMessage(bytes); next !== undefined; next = decodeMessage(bytes)) {
      bytes = bytes.subarray(next.length);
      const { message } = next;
      if (message.type !== METHOD_CALL) continue;
      serial += 1;
      const { sender, serial: replyTo } = message;
      const answer = { type: METHOD_RETURN, serial, replyTo, destination: sender };
      const written = [encodeMessage({ ...answer, ...answerOf(message, logind.sessions) })];
      // A person is faster than a busy program reads.
      if (message.member === 'Notify') written.push(encodeMessage(CLICKED));
      socket.write(Buffer.concat(written));
    }
  });
}

function answerOf(
  { member, path = '' }: DBusMessage,
  sessions: FakeLogind['sessions'],
): Partial<DBusMessage> & Pick<DBusMessage, 'body'> {
  const own = process.getuid?.() ?? 0;
  if (member === 'Hello') return { signature: 's', body: [':1.1'] };
  if (member === 'GetCapabilities') return { signature: 'as', body: [[]] };
  if (member === 'Notify') return { signature: 'u', body: [SHOWN_ID] };
  if (sessions === undefined)
    return { type: ERROR, errorName: 'org.freedesktop.DBus.Error.ServiceUnknown', body: [] };
  if (member === 'ListSessions') {
    const all = sessions.map(({ uid = own }, index) => [
      String(index + 1),
      uid,
      'anna',
      'seat0',
      `/${index}`,
    ]);
    return { signature: 'a(susso)', body: [all] };
  }
  const { uid: _, ...given } = sessions[Number(path.slice(1))] ?? {};
  const about = {
    Id: String(Number(path.slice(1)) + 1),
    Type: 'x11',
    Remote: false,
    Active: true,
    LockedHint: false,
    Display: '',
    ...given,
  };
  const entries = Object.entries(about).map(([name, value]): DBusValue => {
    return [name, [typeof value === 'boolean' ? 'b' : 's', value]];
  });
  return { signature: 'a{sv}', body: [entries] };
}
