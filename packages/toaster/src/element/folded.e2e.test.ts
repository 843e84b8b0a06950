import { expect, test } from 'vitest';
import { type BrowserPage, describeInBrowsers } from '../testing/in-page.ts';

/** As long as the tool accepts it. */
const PROMPT = 'show me all of the details '.repeat(74).slice(0, 1996).concat(' end');

/** Shows a toast with the prompt, and records what the page is given. */
async function offer(page: BrowserPage): Promise<void> {
  await page.evaluate((prompt) => {
    const sent: string[] = [];
    Object.assign(globalThis, { sent });
    tools.toaster.addEventListener('deskside-prompt', ({ detail }) => sent.push(detail.prompt));
    const actions = [{ label: 'Details', action: 'prompt', prompt }] as const;
    tools.toaster.show({ message: 'Build failed', severity: 'error', duration: 0, actions });
    tools.wait(1000);
  }, PROMPT);
}

function state(page: BrowserPage) {
  return page.evaluate(() => {
    const prompt = tools.toaster.shadowRoot?.querySelector('.stack .sends');
    const { scrollHeight = 0, clientHeight = 0 } = prompt ?? {};
    const { bottom = 0 } = prompt?.getBoundingClientRect() ?? {};
    return {
      isCut: scrollHeight > clientHeight,
      isEndInView: Math.floor(bottom) <= innerHeight,
      sent: Reflect.get(globalThis, 'sent'),
    };
  });
}

async function click(page: BrowserPage, part: string): Promise<void> {
  const [x, y] = await page.evaluate((selector) => {
    const {
      left = 0,
      top = 0,
      bottom = 0,
    } = tools.toaster.shadowRoot?.querySelector(`.stack ${selector}`)?.getBoundingClientRect() ?? {};
    return [left + 10, selector === '.sends' ? bottom - 6 : top + 6] as const;
  }, part);
  await page.mouse.click(x, y);
  await page.evaluate(() => tools.draw());
}

describeInBrowsers((open) => {
  test('of a long prompt three lines are shown; a click shows all of it, and the next one sends it as it is', async () => {
    const page = await open('', [900, 900]);
    await offer(page);
    expect(await state(page)).toEqual({ isCut: true, isEndInView: true, sent: [] });
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: true, sent: [] });
    await click(page, '.label');
    expect((await state(page)).sent).toEqual([PROMPT]);
  });

  test('a prompt that is taller than the window is sent only after its end was in view', async () => {
    const page = await open('', [320, 500]);
    await offer(page);
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: false, sent: [] });
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: true, sent: [] });
    await click(page, '.sends');
    expect((await state(page)).sent).toEqual([PROMPT]);
  });

  test('a short prompt is shown whole, and one click sends it', async () => {
    const page = await open();
    await offer(page);
    await page.evaluate(() => {
      tools.toaster.dismissAll();
      const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the build logs' }] as const;
      tools.toaster.show({ message: 'Build failed', severity: 'error', duration: 0, actions });
      tools.wait(1000);
    });
    expect((await state(page)).isCut).toBe(false);
    await click(page, '.label');
    expect((await state(page)).sent).toEqual(['show me the build logs']);
  });
});
