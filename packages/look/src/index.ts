/** The words of approvals, and the beginning of a message. */
export * from './approval-words.ts';
export { previewOf } from './preview.ts';
