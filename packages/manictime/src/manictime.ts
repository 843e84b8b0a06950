import { rm } from 'node:fs/promises';
import { type ActivityDatabase, openActivityDatabase } from './database/database.ts';
import { type Images, openImages } from './images/images.ts';
import { type DataLocation, locateData, unresolved } from './installation/data-location.ts';
import type { ManicTimeOptions } from './options.ts';
import { type PrivacyRules, privacyRules } from './privacy/rules.ts';
import { FileSaver } from './saving/save.ts';
import { ScreenshotFolder } from './screenshots/folder.ts';

/** What the tools use. Nothing is opened before the first call. */
export interface ManicTime extends AsyncDisposable {
  location(): Promise<DataLocation>;
  readonly database: ActivityDatabase;
  readonly screenshots: ScreenshotFolder;
  readonly images: Images;
  readonly saver: FileSaver;
  /** Where screenshots may be saved besides the client's roots. */
  readonly saveDir: string | undefined;
  readonly privacy: PrivacyRules;
}

export function openManicTime(options: ManicTimeOptions): ManicTime {
  let found: Promise<DataLocation> | undefined;
  const location = async () => {
    found ??= locateData({ ...options, demoFolder: options.demo === true ? demoFolder : undefined });
    const result = await found;
    // Looked for again next time: ManicTime may be installed meanwhile.
    if (result.folder === undefined) found = undefined;
    return result;
  };
  const database = openActivityDatabase(async () => {
    const { folder } = await location();
    if (folder === undefined) throw unresolved();
    return folder;
  });
  const images = openImages(options.imageCodec ?? 'auto');
  return {
    location,
    database,
    screenshots: new ScreenshotFolder(async () => (await location()).screenshots),
    images,
    saver: new FileSaver(),
    saveDir: options.saveDir,
    privacy: privacyRules(options),
    async [Symbol.asyncDispose]() {
      await database.close();
      await images[Symbol.asyncDispose]();
      const { folder, source } = (await found?.catch(() => undefined)) ?? {};
      if (source === 'Demo' && folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function demoFolder(): Promise<string> {
  const demo = await import('./demo/demo-folder.ts').catch((cause: unknown) => {
    throw new Error('Made-up data come with the programs, not with the library.', { cause });
  });
  return demo.writeDemoFolder();
}
