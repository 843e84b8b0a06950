/** Text or bytes, filled up to a multiple of four. */
export function padded(data: string | Buffer): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

/** 32-bit numbers, one after the other. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, index) => bytes.writeUInt32LE(number >>> 0, 4 * index));
  return bytes;
}

/** Protocol 11.0, little-endian. */
export function setupRequest(authorizationName: string, authorizationData: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.write('l', 0, 'latin1');
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(authorizationName.length, 6);
  head.writeUInt16LE(authorizationData.length, 8);
  return Buffer.concat([head, padded(authorizationName), padded(authorizationData)]);
}

/** A client message of 32-bit data, as `SendEvent` carries it. */
export function clientMessage(
  window: number,
  type: number,
  data: readonly [number, number, number, number, number],
) {
  const head = Buffer.alloc(4);
  head.writeUInt8(33, 0);
  head.writeUInt8(32, 1);
  return Buffer.concat([head, words(window, type, ...data)]);
}
