import { type BrowserOptions, chromiumDriver } from './chromium-driver.ts';
import type { DriverName } from './driver-names.ts';
import { firefoxDriver } from './firefox-driver.ts';
import { scriptDriver } from './script-driver.ts';
import type { WindowDriver } from './window-driver.ts';

export interface DriverChoice {
  readonly presenter?: 'auto' | DriverName;
  /** Path of the browser to use. */
  readonly browser?: string | undefined;
}

/** The drivers to try, in order. */
export function windowDrivers(
  { presenter = 'auto', browser }: DriverChoice,
  { machine, folder }: Pick<BrowserOptions, 'machine' | 'folder'>,
): WindowDriver[] {
  const options = { machine, folder, browser };
  const drivers = [
    chromiumDriver(options),
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
