import { type Browser, chromium } from 'playwright-core';
import type { Bundle } from './bundle.ts';

/** What two hundred toasts in a second cost the page's main thread, in milliseconds of CPU time. */
export interface FloodCost {
  readonly longestTask: number;
  readonly total: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds that the thread worked. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** @throws where there is no Chromium at this path */
export function openChromium(executablePath = '/usr/bin/chromium'): Promise<Browser> {
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
  ];
  return chromium.launch({ executablePath, args });
}

export async function flood(browser: Browser, { script, style }: Bundle): Promise<FloodCost> {
  const page = await browser.newPage();
  try {
    await page.setContent(`<!doctype html><title>Toasts</title><style>${style}</style><body></body>`);
    await page.addScriptTag({ content: script });
    await page.waitForFunction('window.showToast !== undefined');
    await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    await page.evaluate(`(async () => {
      for (let n = 0; n < 200; n += 1) {
        showToast('Job ' + n + ' is done');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })()`);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    return cost(trace.traceEvents);
  } finally {
    await page.close();
  }
}

function cost(trace: readonly TraceEvent[]): FloodCost {
  const named = trace.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const threads = new Set(named.map(({ pid, tid }) => `${pid}/${tid}`));
  const tasks = trace
    .filter(({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && threads.has(`${pid}/${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  return { longestTask: Math.max(0, ...tasks), total: tasks.reduce((sum, task) => sum + task, 0) };
}
