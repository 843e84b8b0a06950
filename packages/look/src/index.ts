export {
  type ButtonWords,
  type Fold,
  decisionWords,
  equalWords,
  foldOf,
  scopeWords,
} from './approval-words.ts';
export { fillTemplate, oneLine, safeText, titleLine } from './html.ts';
export { plainText, renderMessage } from './markdown.ts';
export { previewOf } from './preview.ts';
export { renderApproval, renderCalls } from './render-approval.ts';
