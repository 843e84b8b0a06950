import { escapeMarkup } from '@deskside/core/text';
import { connectDBus, type DBusConnection, type SessionBus } from './dbus-connection.ts';
import type { DBusValue } from './message.ts';

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';

/** The properties in which daemons say that they show nothing: the specification's, and dunst's. */
const SILENT_PROPERTIES = [
  [NAME, 'Inhibited'],
  ['org.dunstproject.cmd0', 'paused'],
] as const;
/** Xfce's daemon says it in the settings of the desktop only. */
const XFCE_DAEMON = 'Xfce Notify Daemon';
const XFCE_SETTING = ['xfce4-notifyd', '/do-not-disturb'];

/** NotificationClosed: the person closed it, with a click or in the list of the desktop. */
const DISMISSED = 2;

/** The key of a click on the notification itself. */
const DEFAULT_ACTION = 'default';
const BUTTON = 'button';

/** How many notifications may be shown at once. */
const MAX_SHOWN = 1000;

/** What the notification daemon of a freedesktop session does with a notification now. */
export type DaemonState = 'shows' | 'do not disturb' | 'missing';

export interface DesktopNotification {
  readonly title: string;
  /** Plain text with line feeds. */
  readonly text: string;
  readonly urgency: 'low' | 'normal';
  /** Undefined: as long as the daemon shows notifications usually. */
  readonly expireMs?: number | undefined;
  /** What a click on the notification does, in words. */
  readonly clickLabel?: string | undefined;
  /** The click has a button, too. */
  readonly hasButton?: boolean;
  /** Called once: it was clicked or closed by the person, or it ended without that. */
  readonly onEnd?: (end: NotificationEnd) => void;
}

/** How a notification ended. Only a click on one with `clickLabel` is `clicked`. */
export type NotificationEnd = 'clicked' | 'dismissed' | 'gone';

/** The notification daemon of a freedesktop session, over its bus. A daemon tells only who sent it what happened to a notification. */
export class DesktopNotifications {
  /** By the address of their bus. */
  static readonly #ofProcess = new Map<string, Promise<DesktopNotifications>>();
  readonly #bus: DBusConnection;
  readonly #shown = new Map<number, (end: NotificationEnd) => void>();
  /** What the daemon says that it can do. */
  #capabilities: Promise<DBusValue | undefined> | undefined;

  /**
   * The one connection of this process to a bus, which all servers in it share. It does not keep the process alive.
   *
   * @throws Error if no session bus answers
   */
  static on(session: SessionBus): Promise<DesktopNotifications> {
    const open = () => DesktopNotifications.#open(session);
    const before = DesktopNotifications.#ofProcess.get(session.address);
    const opened = before?.then((each) => (each.#bus.isOpen ? each : open()), open) ?? open();
    DesktopNotifications.#ofProcess.set(session.address, opened);
    return opened;
  }

  static async #open(session: SessionBus): Promise<DesktopNotifications> {
    const bus = await connectDBus(session);
    await bus.listen(NAME);
    return new DesktopNotifications(bus);
  }

  private constructor(bus: DBusConnection) {
    this.#bus = bus;
    bus.onSignal = ({ interface: from, member, body: [id, value] }) => {
      if (from !== NAME) return;
      if (member === 'ActionInvoked') this.#end(Number(id), 'clicked');
      if (member === 'NotificationClosed') this.#end(Number(id), value === DISMISSED ? 'dismissed' : 'gone');
    };
    bus.onClose = () => {
      for (const id of this.#shown.keys()) this.#end(id, 'gone');
    };
  }

  /** @returns its number, when the daemon has it. @throws Error if no daemon takes it */
  async show({
    title,
    text,
    urgency,
    expireMs = -1,
    clickLabel,
    hasButton = false,
    onEnd,
  }: DesktopNotification): Promise<number> {
    this.#capabilities ??= this.#call('GetCapabilities').then(([names]) => names);
    // Without an answer it may read markup, as most daemons do.
    const capabilities = await this.#capabilities.catch(() => ['body-markup']);
    const hasMarkup = Array.isArray(capabilities) && capabilities.includes('body-markup');
    const body = hasMarkup ? escapeMarkup(text) : text;
    const keys = hasButton ? [DEFAULT_ACTION, BUTTON] : [DEFAULT_ACTION];
    const actions = clickLabel === undefined ? [] : keys.flatMap((key) => [key, clickLabel]);
    const hints = [['urgency', ['y', urgency === 'low' ? 0 : 1]]];
    const shown = ['Deskside', 0, '', title, body, actions, hints, expireMs];
    const [id] = await this.#call('Notify', 'susssasa{sv}i', shown);
    if (onEnd !== undefined) this.#shown.set(Number(id), onEnd);
    // A daemon that ended says nothing about what it had shown.
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_SHOWN && oldest !== undefined) this.#end(oldest, 'gone');
    return Number(id);
  }

  /** Takes a notification back. @throws Error if it is gone already */
  async close(id: number): Promise<void> {
    await this.#call('CloseNotification', 'u', [id]);
  }

  async state(): Promise<DaemonState> {
    const [name] = await this.#call('GetServerInformation').catch(() => []);
    if (name === undefined) return 'missing';
    const settings = 'org.xfce.Xfconf';
    const isSilent = await Promise.all([
      ...SILENT_PROPERTIES.map((property) =>
        this.#isTrue(NAME, PATH, 'org.freedesktop.DBus.Properties', 'Get', property),
      ),
      name === XFCE_DAEMON &&
        this.#isTrue(settings, '/org/xfce/Xfconf', settings, 'GetProperty', XFCE_SETTING),
    ]);
    return isSilent.includes(true) ? 'do not disturb' : 'shows';
  }

  /** False if the program does not know the property: most daemons have only one of them. */
  async #isTrue(
    destination: string,
    path: string,
    from: string,
    member: string,
    property: readonly string[],
  ): Promise<boolean> {
    const call = this.#bus.call({ destination, path, interface: from, member }, 'ss', property);
    const [value] = await call.catch(() => []);
    return value === true;
  }

  #call(member: string, signature?: string, body?: Parameters<DBusConnection['call']>[2]) {
    return this.#bus.call({ destination: NAME, path: PATH, interface: NAME, member }, signature, body);
  }

  #end(id: number, end: NotificationEnd): void {
    const onEnd = this.#shown.get(id);
    this.#shown.delete(id);
    onEnd?.(end);
  }
}
