/** The user of a machine whose programs name no other. */
export const DEFAULT_USER = 'owner';

/** How long a server that ends lets open calls run, in milliseconds. */
export const GRACE_MS = 1500;

/** The oldest Node.js that the packages run on: older ones crash on the SQLite binding without a message. */
export const NODE_FLOOR = [22, 18] as const;

/** @param version of Node.js: `22.17.0` */
export function isOldNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [floorMajor, floorMinor] = NODE_FLOOR;
  return major < floorMajor || (major === floorMajor && minor < floorMinor);
}

/** True for an object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key; the first who asks makes it. */
export function getOrAdd<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const MIB = 2 ** 20;

/** A number of bytes for an error text: `4 MB`, `500 bytes`. */
export function bytesText(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MB` : `${bytes} bytes`;
}

/** What a program needs of an environment to show a window on its screen. */
export const DISPLAY_VARIABLES: readonly string[] = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_ID',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'DBUS_SESSION_BUS_ADDRESS',
];
