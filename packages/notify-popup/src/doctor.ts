import { readFlags, readOptions, runProgram } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import type { Exit } from './ask.ts';
import { hasDisplay } from './display/display.ts';
import { thisMachine } from './machine/machine.ts';
import { runtimeFolder } from './machine/runtime-folder.ts';
import { popupOptions } from './options.ts';
import { browserFolder, historyFolder } from './popup.ts';
import { systemTheme } from './theme/system-theme.ts';
import { windowDrivers } from './window/window-drivers.ts';

/** `--doctor`: says what would show a popup on this machine, and why what comes before it would not. */
export async function runDoctor(exit: Exit): Promise<void> {
  const program = {
    name: 'deskside-notify-popup',
    version: manifest.version,
    usage: 'Says what would show a popup on this machine.\n\nUsage: deskside-notify-popup --doctor [options]',
  };
  await runProgram(program, async ({ argv, env, print }) => {
    const flags = readFlags(
      popupOptions.settings,
      argv.filter((word) => word !== '--doctor'),
    );
    const options = readOptions(popupOptions, { flags, env });
    const machine = thisMachine();
    const isVisible = await hasDisplay(machine);
    const probes = await Promise.all(
      windowDrivers(options, { machine, folder: browserFolder() }).map(async (driver) => ({
        name: driver.name,
        probe: await driver.probe(),
      })),
    );
    const used = isVisible ? probes.find(({ probe }) => 'found' in probe)?.name : undefined;
    print(
      [
        `deskside-notify-popup ${manifest.version} on ${machine.platform}`,
        `display: ${isVisible ? 'found' : `none that can be reached${options.elicitation ? '; a client that offers forms is asked instead' : ''}`}`,
        ...probes.map(
          ({ name, probe }) =>
            `${name}: ${'found' in probe ? probe.found : probe.missing}${name === used ? '  <- this one shows popups' : ''}`,
        ),
        `theme: ${await systemTheme(machine)}`,
        `turns are taken in: ${await runtimeFolder(machine).catch((error: Error) => error.message)}`,
        `history: ${options.history ? historyFolder(options.historyDir, machine) : 'not kept'}`,
        used === undefined ? 'No popup can be shown.' : 'Popups can be shown.',
      ].join('\n'),
    );
    exit(used === undefined ? 1 : 0);
  });
}
