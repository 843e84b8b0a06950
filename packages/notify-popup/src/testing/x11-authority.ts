/** An entry of a file that XAUTHORITY names. */
export function authorityEntry(
  family: number,
  address: string,
  displayNumber: string,
  cookie: Buffer,
): Buffer {
  const fields = [address, displayNumber, 'MIT-MAGIC-COOKIE-1', cookie].map((field) => Buffer.from(field));
  return Buffer.concat([uint16(family), ...fields.flatMap((field) => [uint16(field.length), field])]);
}

function uint16(number: number): Buffer {
  return Buffer.from([number >> 8, number & 0xff]);
}
