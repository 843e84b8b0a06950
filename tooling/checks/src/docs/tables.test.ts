import { defineOptions } from '@deskside/core/cli';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { optionsTable } from './tables.ts';

test('the options table shows switches as on or off, and paths as written for any machine', () => {
  const { settings } = defineOptions('DEMO', {
    history: z.boolean().default(true).meta({ description: 'Store conversations.' }),
    plain: z.boolean().default(false).meta({ description: 'Show plain text.' }),
    port: z.number().default(3333).meta({ placeholder: 'PORT', description: 'Port.' }),
    folder: z
      .string()
      .default('/home/me/data')
      .meta({ placeholder: 'FOLDER', description: 'Folder.', defaultText: 'data folder' }),
  });
  expect(optionsTable(settings).split('\n').slice(2)).toEqual([
    '| `--history / --no-history` | `DEMO_HISTORY` | on | Store conversations. |',
    '| `--plain` | `DEMO_PLAIN` | off | Show plain text. |',
    '| `--port PORT` | `DEMO_PORT` | 3333 | Port. |',
    '| `--folder FOLDER` | `DEMO_FOLDER` | data folder | Folder. |',
  ]);
});
