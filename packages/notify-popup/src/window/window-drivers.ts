import { type BrowserOptions, chromiumDriver } from './chromium-driver.ts';
import type { DriverName, Prewarm } from './driver-names.ts';
import { firefoxDriver } from './firefox-driver.ts';
import { scriptDriver } from './script-driver.ts';
import type { WindowDriver } from './window-driver.ts';

export interface DriverChoice {
  readonly presenter?: 'auto' | DriverName;
  /** Path of the browser to use. */
  readonly browser?: string | undefined;
  readonly prewarm?: Prewarm;
}

/** The drivers to try, in order. */
export function windowDrivers(
  { presenter = 'auto', browser, prewarm = 'off' }: DriverChoice,
  { machine, folder }: Pick<BrowserOptions, 'machine' | 'folder'>,
): WindowDriver[] {
  const options = { machine, folder, browser };
  const drivers = [
    chromiumDriver({ ...options, prewarms: prewarm === 'after-first' }),
    scriptDriver('gtk', machine),
    scriptDriver('mac', machine),
    firefoxDriver(options),
  ].filter(({ name }) => isFor(machine.platform, name));
  return presenter === 'auto' ? drivers : drivers.filter(({ name }) => name === presenter);
}

function isFor(platform: NodeJS.Platform, name: DriverName): boolean {
  if (name === 'webkit-gjs') return platform === 'linux';
  return name !== 'webkit-jxa' || platform === 'darwin';
}
