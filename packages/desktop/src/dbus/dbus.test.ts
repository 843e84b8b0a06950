import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { busSocket } from './dbus-connection.ts';
import { decodeMessage, encodeMessage, METHOD_CALL } from './message.ts';

test('every message that is encoded is decoded, also in pieces', () => {
  const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', ''));
  const body = fc.tuple(
    text,
    fc.nat(),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.array(text),
    fc.array(fc.tuple(text, fc.nat(255))),
    fc.boolean(),
  );
  fc.assert(
    fc.property(body, fc.nat(), ([first, count, number, list, entries, flag], cut) => {
      const hints = entries.map(([key, value]) => [key, ['y', value]]);
      const message = {
        type: METHOD_CALL,
        serial: 3,
        path: '/x',
        member: 'Notify',
        signature: 'suiasa{sv}b',
      };
      const bytes = encodeMessage({ ...message, body: [first, count, number, list, hints, flag] });
      const decoded = decodeMessage(Buffer.concat([bytes, Buffer.from('rest')]));
      expect(decoded?.length).toBe(bytes.length);
      expect(decoded?.message.body).toStrictEqual([first, count, number, list, entries, flag]);
      expect(decoded?.message).toMatchObject(message);
      expect(decodeMessage(bytes.subarray(0, cut % bytes.length))).toBeUndefined();
    }),
  );
});

test.each([
  ['unix:path=/run/user/1000/bus', '/run/user/1000/bus'],
  ['tcp:host=x;unix:abstract=/tmp/dbus-1%20x,guid=12', '\0/tmp/dbus-1 x'],
  ['unix:guid=1,path=/a', '/a'],
  ['autolaunch:', undefined],
])('%s is a socket or not', (address, path) => {
  expect(busSocket(address)).toBe(path);
});
