import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '@deskside/core/testing';
import { idleMs } from './idle.ts';

test.skipIf(process.platform !== 'linux')(
  'GNOME is asked on the bus that is found, if the environment names none',
  async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'bus'), '');
    const script = `[ "$DBUS_SESSION_BUS_ADDRESS" = "unix:path=${folder.path}/bus" ] && echo "(uint64 1234,)"`;
    writeFileSync(join(folder.path, 'gdbus'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${folder.path}:${process.env['PATH']}`, XDG_RUNTIME_DIR: folder.path };
    expect(await idleMs({ platform: 'linux', env, home: folder.path })).toBe(1234);
  },
);
