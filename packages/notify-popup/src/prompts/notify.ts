import { promptDefiner } from '@deskside/core';
import { z } from 'zod';
import type { Popup } from '../popup.ts';

const definePopupPrompt = promptDefiner<Popup>();

export const notifyPrompt = definePopupPrompt({
  name: 'notify',
  title: 'Converse in popups',
  description: 'Have an ongoing text conversation with the user through popup windows, without voice',
  arguments: z.object({ topic: z.string().optional().describe('What to talk about; open if not given') }),
  run: ({ topic }, _, { toolName }) =>
    [
      `Have an ongoing text conversation with me through the ${toolName('notify')} tool.`,
      topic ? `It is about: ${topic}.` : 'Begin by asking what I would like to talk about.',
      `Say everything to me with ${toolName('notify')} and wait for my response; my answers come back as "User response: …".`,
      'Keep each message short enough to read in a small window; Markdown is shown.',
      'Go on until I say goodbye, cancel or dismiss the popup; then end with a short summary here.',
      'After a timeout ask me once more, and stop if I stay away.',
    ].join('\n'),
});
