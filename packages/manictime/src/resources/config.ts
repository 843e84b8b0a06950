import { jsonResource } from './json-resource.ts';

export const config = jsonResource({
  uri: 'manictime://config',
  name: 'config',
  title: 'ManicTime configuration',
  description:
    "Which folder the data is read from, and what named it: an option, the environment, Windows' registry or the default.",
  async read(manictime) {
    const { folder, source, screenshots } = await manictime.location();
    return {
      dataDirectory: folder,
      directorySource: source,
      screenshotsDirectory: screenshots,
      saveDirectory: manictime.saveDir,
    };
  },
});
