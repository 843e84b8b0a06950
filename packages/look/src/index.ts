/** The words of approvals, and the beginning of a message. */
export {
  type ButtonWords,
  type Fold,
  decisionWords,
  equalWords,
  foldOf,
  objectOf,
  scopeWords,
} from './approval-words.ts';
export { previewOf } from './preview.ts';
