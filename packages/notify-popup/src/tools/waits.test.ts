import { firstText, fixedClock, LEGS } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { connectWithForms, type Filled } from '../testing/form-client.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';

interface Shown {
  readonly message: string;
  readonly signal: AbortSignal;
  readonly respond: (filled: Filled) => void;
}

/** A client with a limit of five minutes, whose person the test plays. */
async function ask(leg: (typeof LEGS)[number], name = 'codex-mcp-client', args: object = {}) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const popup = scriptedPopup({ clock });
  const shown = Promise.withResolvers<Shown>();
  let forms = 0;
  const fill = ({ message }: { readonly message: string }, signal: AbortSignal) => {
    forms += 1;
    const { promise, resolve } = Promise.withResolvers<Filled>();
    shown.resolve({ message, signal, respond: resolve });
    return promise;
  };
  const peer = await connectWithForms(popup, leg, fill, { clientInfo: { name, version: '0.169.0' } });
  const answer = peer.callTool('notify', { message: 'Which one?', ...args }).then(firstText);
  await expect.poll(() => popup.windows[0]?.isShown).toBe(true);
  return { clock, popup, shown: shown.promise, answer, forms: () => forms };
}

const yes = { kind: 'submitted', text: 'yes' } as const;

const legacy = LEGS.filter(({ era }) => era === 'legacy');

describe.each(legacy)('in the $era era over $over', (leg) => {
  test('the form is open beside the window shortly before the limit of the client, and its answer closes the window', async () => {
    const { clock, popup, shown, answer, forms } = await ask(leg);
    await clock.advanceAsync(284_999);
    expect(popup.notices).not.toContainEqual({ kind: 'form', isOpen: true });
    expect(forms()).toBe(0);
    popup.windows[0]?.spec.onDraft('half');
    await clock.advanceAsync(1);
    const form = await shown;
    expect(form.message).toBe('Which one?\n\nAnswer here or in the window.');
    expect(popup.notices).toContainEqual({ kind: 'form', isOpen: true });
    form.respond({ action: 'accept', content: { reply: 'blue' } });
    expect(await answer).toBe('User response: blue');
    expect(popup.windows).toStrictEqual([]);
    expect(await popup.drafts.list()).toMatchObject([{ text: 'half' }]);
  });
});

test.each(LEGS)(
  'in the $era era over $over a client that waits or cannot withdraw a form gets none beside the window',
  async (leg) => {
    const name = leg.era === 'legacy' ? 'other' : 'codex-mcp-client';
    const { clock, popup, answer, forms } = await ask(leg, name);
    await clock.advanceAsync(720_000);
    popup.windows[0]?.end(yes);
    expect(await answer).toBe('User response: yes');
    expect(popup.notices).not.toContainEqual({ kind: 'form', isOpen: true });
    expect(forms()).toBe(0);
  },
);

test.each(legacy)(
  'in the $era era over $over news gets no form, and closes after its timeout',
  async (leg) => {
    const news = { wait_for_response: false, timeout: 300 };
    const { clock, popup, answer, forms } = await ask(leg, 'codex-mcp-client', news);
    expect(await answer).toBe('✓ Message displayed successfully');
    await clock.advanceAsync(299_999);
    expect(popup.windows).toHaveLength(1);
    await clock.advanceAsync(1);
    expect(popup.windows).toStrictEqual([]);
    expect(forms()).toBe(0);
  },
);
