import { uint32s, type X11Connection } from '../x11/x11-connection.ts';

const EXTENSION = 'MIT-SCREEN-SAVER';
const QUERY_INFO = 1;

/** @returns the time since the last key, click or movement of the mouse; undefined if the server does not tell */
export async function x11IdleMs(x11: X11Connection): Promise<number | undefined> {
  const opcode = await x11.extension(EXTENSION);
  const reply = opcode && (await x11.request(opcode, QUERY_INFO, uint32s(x11.root)));
  return reply ? reply.readUInt32LE(16) : undefined;
}

/** True if the server draws on a Wayland compositor: it gets the input of its own windows only. */
export async function isXwayland(x11: X11Connection): Promise<boolean> {
  return (await x11.extension('XWAYLAND')) !== undefined;
}
