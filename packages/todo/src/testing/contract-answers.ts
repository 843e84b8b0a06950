import { firstText, type Peer } from '@deskside/testkit';
import type { ContractRow } from './contract-rows.ts';

/** What the contract fixes of an answer. */
interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly isStructuredError: boolean;
}

/** Carries out the conversation of a row. */
export async function answersOf(peer: Peer, { steps }: ContractRow): Promise<readonly Answer[]> {
  const answers = [];
  for (const { tool, args } of steps) {
    const answer = await peer.callTool(tool, args);
    const isError = answer.isError ?? false;
    answers.push({
      text: firstText(answer),
      isError,
      isStructuredError: isError && 'structuredContent' in answer,
    });
  }
  return answers;
}

/** What `answersOf` must return. */
export function expectedAnswers({ steps }: ContractRow): readonly Answer[] {
  return steps.map(({ text }) => ({ text, isError: text.startsWith('{"error"'), isStructuredError: false }));
}
