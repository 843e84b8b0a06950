import { firstText, type Peer } from '@deskside/testkit';
import type { ContractRow } from './contract-rows.ts';

/** What the contract fixes of an answer. */
interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** The same as the text; undefined in errors and in lists. */
  readonly structured: unknown;
}

/** Carries out the conversation of a row. */
export async function answersOf(peer: Peer, { steps }: ContractRow): Promise<readonly Answer[]> {
  const answers = [];
  for (const { tool, args } of steps) {
    const answer = await peer.callTool(tool, args);
    const { isError = false, structuredContent: structured } = answer;
    answers.push({ text: firstText(answer), isError, structured });
  }
  return answers;
}

/** What `answersOf` must return. */
export function expectedAnswers({ steps }: ContractRow): readonly Answer[] {
  return steps.map(({ tool, text }) => {
    const isError = text.startsWith('{"error"');
    const structured: unknown = isError || tool === 'list_tasks' ? undefined : JSON.parse(text);
    return { text, isError, structured };
  });
}
