import { z } from 'zod';

/** One line of VoiceMode's log, as far as a popup needs it. */
const logEntry = z.object({
  version: z.number(),
  timestamp: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
  conversation_id: z.string(),
  /** `tts`: the agent spoke; `stt`: the person answered. */
  type: z.enum(['tts', 'stt']),
  text: z.string(),
  project_path: z.string().nullish(),
  metadata: z.looseObject({}).nullish(),
});

export type LogEntry = z.output<typeof logEntry>;

/** Lines that are torn or of another format are passed over. */
export function parseEntries(text: string): LogEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [logEntry.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}
