import type { LoopbackPage } from '../loopback/loopback-page.ts';
import type { PopupSpec } from '../service/presenter.ts';
import type { Question } from '../service/question.ts';

/** A plain question, with what a test wants otherwise. */
export function popupSpec(
  question: Partial<Question> = {},
  rest: Partial<Omit<PopupSpec, 'question'>> = {},
): PopupSpec {
  return {
    question: {
      message: 'Which one?',
      title: 'VoiceMode',
      waitsForResponse: true,
      theme: 'auto',
      showsHistory: true,
      chimes: false,
      client: 'Example host',
      ...question,
    },
    history: [],
    onDraft: () => undefined,
    ...rest,
  };
}

/** The first of the addresses that open a page. */
export function addressOf({ addresses }: LoopbackPage): string {
  const [first] = addresses;
  if (first === undefined) throw new Error('a page without an address');
  return first;
}
