import { quickReplies } from './quick-replies.js';
import { replyBox } from './reply-box.js';
import { digitTicks } from './ticks.js';

/**
 * The boxes of the answer: one, or one per question.
 *
 * @param isTyping the person types in another window
 * @param onPress makes a handler for clicks that send
 * @param send called with the text of a clicked reply to the only question
 */
export function answerFields(isTyping, onPress, send) {
  const boxes = [...document.querySelectorAll('.reply')];
  if (boxes.length === 0) return undefined;
  const isSingle = boxes.length === 1;
  const fields = boxes.map((element) => answerField(element, isTyping, isSingle ? send : undefined, onPress));
  let current = fields[0];
  for (const field of fields) field.box.element.addEventListener('focus', () => (current = field));

  return {
    isSingle,
    /** What the person sees as typed; of several questions a list. */
    get text() {
      return isSingle ? current.text : fields.map(({ text }) => text);
    },
    /** What is sent. */
    get answer() {
      return isSingle ? current.answer(', ') : fields.map((field) => field.answer('\n'));
    },
    /** True if nothing would be sent but text that the person did not change. */
    get isUntouched() {
      return isSingle && !current.box.isTouched && !current.hasChoices;
    },
    /** Numbers of the questions without an answer. */
    get missing() {
      return fields.flatMap(({ isAnswered }, index) => (isAnswered ? [] : [index + 1]));
    },
    /** The box with the keyboard, or the last one that had it. */
    get box() {
      return current.box;
    },
    /** The reply that the digit in the box stands for. */
    get marked() {
      return current.marked;
    },
    isBox: (target) => boxes.includes(target),
    /** From now on what comes in is meant for this window. */
    settle() {
      for (const { box } of fields) box.settle();
    },
    includes: (text) => fields.some(({ box }) => box.text.includes(text)),
    /** @returns true if it went on from an answered question to the next one without an answer */
    goOn() {
      const from = fields.indexOf(current) + 1;
      const next = [...fields.slice(from), ...fields].find(({ isAnswered }) => !isAnswered);
      if (!current.isAnswered || next === undefined) return false;
      current.commit();
      next.box.element.focus();
      return true;
    },
    onChange(handler) {
      for (const { box } of fields) box.onChange(handler);
      document.addEventListener('change', ({ target }) => target.closest('.choices') && handler());
    },
  };
}

/** @param send undefined: a reply is one of several answers, so a click writes it into the box */
function answerField(element, isTyping, send, onPress) {
  const box = replyBox(element, isTyping);
  const part = element.closest('.question') ?? document;
  const replies = quickReplies(part, box, onPress, send ?? ((text) => box.replace(text)));
  const choices = [...part.querySelectorAll('.choices input')];
  const ticks = digitTicks(choices, box);
  const chosen = () => choices.filter(({ checked }) => checked).map(({ value }) => value);
  const withChosen = (text) => [...chosen(), ...(text.trim() === '' ? [] : [text])];
  return {
    box,
    get text() {
      return chosen().length === 0 ? ticks.text : withChosen(ticks.text).join('\n');
    },
    get hasChoices() {
      return chosen().length > 0;
    },
    get isAnswered() {
      return ticks.text.trim() !== '' || chosen().length > 0;
    },
    /** Chosen replies come before the text. */
    answer: (separator) =>
      chosen().length === 0 ? (replies.marked() ?? ticks.text) : withChosen(ticks.text).join(separator),
    commit: () => ticks.commit(),
    get marked() {
      const reply = replies.marked();
      return reply === box.text ? undefined : reply;
    },
  };
}
