import { defineOptions } from '@deskside/core/cli';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { optionsList } from './tables.ts';

test('the list of options shows switches as on or off, and paths as written for any machine', () => {
  const { settings } = defineOptions('DEMO', {
    history: z.boolean().default(true).meta({ description: 'Store conversations.' }),
    plain: z.boolean().default(false).meta({ description: 'Show plain text.' }),
    port: z.number().default(3333).meta({ placeholder: 'PORT', description: 'Port.' }),
    folder: z
      .string()
      .default('/home/me/data')
      .meta({ placeholder: 'FOLDER', description: 'Folder.', defaultText: 'data folder' }),
  });
  expect(optionsList(settings).split('\n')).toEqual([
    '- `--history / --no-history`, `DEMO_HISTORY`: Store conversations. Default: on.',
    '- `--plain`, `DEMO_PLAIN`: Show plain text. Default: off.',
    '- `--port PORT`, `DEMO_PORT`: Port. Default: 3333.',
    '- `--folder FOLDER`, `DEMO_FOLDER`: Folder. Default: data folder.',
  ]);
});
