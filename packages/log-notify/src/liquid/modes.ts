import { jsonText } from '../message/json-line.ts';

/** What a template says; a level or context it does not give is undefined. */
export interface SpokenInTemplate {
  readonly message: string;
  readonly level?: unknown;
  readonly context?: unknown;
}

/** What happens where a template notifies. The text it returns stands in the output. */
export type Speak = (spoken: SpokenInTemplate) => string;

/**
 * For the one who renders: the notification goes out while the template is rendered, and nothing stands in the
 * output. Rendering never fails of it.
 */
export function deliver(notify: (spoken: SpokenInTemplate) => unknown): Speak {
  return (spoken) => {
    try {
      Promise.resolve(notify(spoken)).catch(() => undefined);
    } catch {
      // A notification is never worth a template.
    }
    return '';
  };
}

/**
 * For a prompt: the output tells the model to call the tool. Rendering alone notifies nobody, as hosts fetch
 * prompts that are never used.
 *
 * @param toolName as the client sees it
 */
export function instruct(toolName = 'notify'): Speak {
  return (spoken) => `[Call the tool ${toolName} with ${jsonText(spoken)}]`;
}
