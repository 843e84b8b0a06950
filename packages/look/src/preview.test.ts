import { expect, test } from 'vitest';
import { previewOf } from './preview.ts';

test.each([
  ['## Release 2.1.0\n\nShall I publish to **staging** now?', 'Shall I publish to staging now?'],
  ['**Deploy** finished.\n\n- [ ] `main` is green', 'Deploy finished.'],
  ['The tests pass. Shall I merge v2.1 into main? It is reviewed.', 'Shall I merge v2.1 into main?'],
  ['> 1. Which [color](https://example.com/?a=b)?', 'Which color?'],
  ['```sh\nrm -rf x?\n```\nDelete ~~one~~ two?', 'Delete one two?'],
  ['Use snake_case_names or __dunder__?', 'Use snake_case_names or dunder?'],
  ['2 * 3 * 4 is 24.', '2 * 3 * 4 is 24.'],
  ['今から公開しますか？', '今から公開しますか？'],
  ['هل أحذف الملفات؟', 'هل أحذف الملفات؟'],
  ['\n\n  Done!  \nAll tests pass.', 'Done!'],
  ['***', '***'],
  ['# ', '#'],
])('the preview of %j is %j', (message, preview) => {
  expect(previewOf(message)).toBe(preview);
});

test('a preview has at most 200 characters, and no half of one', () => {
  expect(previewOf('👍'.repeat(300))).toBe('👍'.repeat(200));
  expect(previewOf('\ud800 now?')).toBe('\ufffd now?');
});
