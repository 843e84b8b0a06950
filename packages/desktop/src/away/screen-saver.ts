import { uint32s, type X11Connection } from '../x11/x11-connection.ts';

const EXTENSION = 'MIT-SCREEN-SAVER';
const QUERY_INFO = 1;
const SELECT_INPUT = 2;
const NOTIFY_MASK = 1;
const ON = 1;

export interface ScreenSaverInfo {
  /** True while the screen is blank. */
  readonly isOn: boolean;
  /** Milliseconds since the last key, click or movement of the mouse. */
  readonly idleMs: number;
}

/** @returns undefined if the server does not have the extension */
export async function screenSaver(x11: X11Connection): Promise<ScreenSaverInfo | undefined> {
  const opcode = await x11.extension(EXTENSION);
  const reply = opcode && (await x11.request(opcode, QUERY_INFO, uint32s(x11.root)));
  return reply ? { isOn: reply.readUInt8(1) === ON, idleMs: reply.readUInt32LE(16) } : undefined;
}

/** Asks for an event whenever the screen saver starts or ends. */
export async function selectScreenSaverEvents(x11: X11Connection): Promise<void> {
  const opcode = await x11.extension(EXTENSION);
  if (opcode !== undefined) x11.send(opcode, SELECT_INPUT, uint32s(x11.root, NOTIFY_MASK));
}

/** True if the server draws on a Wayland compositor: it gets the input of its own windows only. */
export async function isXwayland(x11: X11Connection): Promise<boolean> {
  return (await x11.extension('XWAYLAND')) !== undefined;
}
