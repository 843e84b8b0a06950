import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Toaster } from './index.ts';

test('<Toaster> renders nothing on a server', () => {
  expect(renderToString(<Toaster theme="auto" hotkey="F9" onPrompt={({ prompt }) => prompt.length} />)).toBe(
    '',
  );
});

test('<deskside-toaster> has the types of its attributes in TSX', () => {
  // @ts-expect-error -- not a theme
  const wrong = <deskside-toaster theme="pink" />;
  expect(renderToString(wrong)).toContain('pink');
  expect(renderToString(<deskside-toaster theme="dark" hotkey="F9" />)).toBe(
    '<deskside-toaster theme="dark" hotkey="F9"></deskside-toaster>',
  );
});
