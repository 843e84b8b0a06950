import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apps, buildApp, packToaster, serveFolder } from './testing/apps.ts';
import { hasChromium, launch } from '@deskside/testkit/chromium';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';

// They install hundreds of megabytes.
describe.skipIf(!hasChromium || !IS_PROOF)('applications that install the packed toaster', () => {
  let folder: string;
  let tarball: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deskside-apps-'));
    [tarball, browser] = await Promise.all([packToaster(folder), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(apps)('$name shows a toast in Chromium under a strict content security policy', async (app) => {
    const directory = join(folder, encodeURIComponent(app.name));
    await using server = await serveFolder(await buildApp(app, tarball, directory));
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.location().url.endsWith('favicon.ico'))
        errors.push(message.text());
    });
    await page.goto(server.origin);
    await page.getByRole('button', { name: 'Deploy' }).click();
    const card = page.getByRole('article', { name: 'Success: Deployed' });
    await card.waitFor();
    expect((await card.boundingBox())?.width).toBeGreaterThan(300);
    await card.getByRole('button', { name: 'Close' }).click();
    await card.waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await page.close();

    const installed = await readdir(join(directory, 'node_modules/@deskside'));
    expect(installed).toEqual(['toaster']);
  });
});
