import { jsonResource } from './json-resource.ts';

export const timelines = jsonResource({
  uri: 'manictime://timelines',
  name: 'timelines',
  title: 'Timelines',
  description: 'The timelines of the database with their schemas.',
  async read({ database }, { signal }) {
    const found = await database.read((snapshot) => snapshot.timelines, signal);
    return found.map(({ reportId, schemaName, baseSchemaName }) => ({
      reportId,
      schemaName,
      baseSchemaName,
    }));
  },
});
