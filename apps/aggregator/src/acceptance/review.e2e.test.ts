import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { missingPackages, needs, openDesktop } from '@deskside/notify-popup/testing/desktop';
import { expect, onTestFinished, test } from 'vitest';
import { withPersonAt } from '../testing/with-person.ts';
import { readReview } from '@deskside/gateway/testing/read-review';

// Not the built program: its parts cannot be replaced.
const BIN = join(import.meta.dirname, '../cli.ts');
const FILES = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
/** The middle of "Reading tools only", from the lower right corner of the window, in pixels. */
const READING = [-200, -35] as const;
/** The same of the only button that allows. */
const ALLOW = [-70, -35] as const;

test.skipIf(missingPackages.length > 0)(
  `a person at a real screen accepts the reading tools of a real server, after reading to the end${needs}`,
  async () => {
    const home = temporaryFolder();
    const desktop = await openDesktop(home, { framebuffer: ['-fbdir', home] });
    onTestFinished(() => desktop[Symbol.asyncDispose]());
    const work = join(home, 'work');
    mkdirSync(work);
    const run = (...args: readonly string[]) =>
      startProgram({
        command: process.execPath,
        args: [BIN, ...args],
        env: withPersonAt(desktop.env, { ...desktop.env, NOTIFY_POPUP_THEME: 'light' }),
      });
    const file = join(home, 'config/deskside/deskside.toml');

    // Without a terminal each question opens a window, also the one whether each client gets a server of its own.
    await using adding = run('add', 'files', '--', process.execPath, FILES, work);
    await adding.printed(/Answer in the window/);
    await desktop.popupHasKeyboard();
    desktop.click(...ALLOW);
    await adding.printed(/Answer in the window[^]*Answer in the window/);
    await desktop.popupHasKeyboard();
    // Neither accepts before the end.
    desktop.click(...READING);
    desktop.key('Return');
    await readReview(home, desktop);
    desktop.click(...READING);
    expect(await adding.exited).toBe(0);
    expect(adding.stdout()).toMatch(/^Added files\..*\nBlocked in files: write_file, /);
    expect(readFileSync(file, 'utf8')).toContain('block = [ "write_file", ');
    expect(readFileSync(file, 'utf8')).toContain('isolation = "per-client"');

    await using listing = run('list', '--tools', '--mounts', 'files');
    await listing.exited;
    expect(listing.stdout()).toMatch(/^ {2}read_text_file +runs +reads only$/m);
    expect(listing.stdout()).toMatch(/^ {2}write_file +blocked +block in deskside\.toml$/m);
  },
);
