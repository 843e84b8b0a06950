import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { toastPage } from '@deskside/toaster/view';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { minimum } from './statistics.ts';

const ROUNDS = 3;
/** The targets of the project. */
const MAX_ELEMENT_BYTES = 12_000;
const MAX_VIEW_BYTES = 4000;

interface Measured {
  readonly subject: ToastSubject;
  readonly size: number;
  readonly costs: readonly FloodCost[];
}

/** Needs Debian's Chromium. */
export const toast: Benchmark = {
  name: 'toast',
  title: 'Toasts in the page',
  async run() {
    const browser = await openChromium();
    try {
      const measured: Measured[] = [];
      for (const subject of toastSubjects) {
        const page = await bundle(subject);
        const costs: FloodCost[] = [];
        for (let round = 0; round < ROUNDS; round += 1) costs.push(await flood(browser, page));
        measured.push({ subject, size: await gzippedSize(subject), costs });
      }
      return report(measured);
    } finally {
      await browser.close();
    }
  },
};

function report(measured: readonly Measured[]): BenchmarkReport {
  return {
    compared:
      'The element with all its parts (notification center, queue, live regions, themes), and the toast libraries that pages use most. ' +
      'The size of React is not included for libraries that need it.',
    method:
      'Sizes are of an esbuild bundle, minified and gzipped at level 9, with styles. The flood is 200 different toasts, one every 5 ms, in ' +
      `headless Chromium; CPU time of the main thread's tasks from a trace, minimum of ${ROUNDS} runs, which hides the load of other programs.`,
    tables: [
      {
        columns: ['Library', 'Size, bytes gzipped', 'Longest task, ms', 'All tasks, ms'],
        rows: measured.map(({ subject, size, costs }) => [
          subject.name,
          size,
          minimum(costs.map(({ longestTask }) => longestTask)).toFixed(1),
          minimum(costs.map(({ total }) => total)).toFixed(0),
        ]),
      },
    ],
    ratios: [
      ...measured
        .filter(({ subject }) => subject.name.startsWith('@deskside/'))
        .flatMap(({ subject, size, costs }) => [
          {
            title: `longest task of ${subject.name}, to 50 ms`,
            value: minimum(costs.map(({ longestTask }) => longestTask)) / 50,
            target: { atMost: 1 },
          },
          {
            title: `size of ${subject.name}, to ${MAX_ELEMENT_BYTES} bytes`,
            value: size / MAX_ELEMENT_BYTES,
            target: { atMost: 1 },
          },
        ]),
      {
        title: `size of the MCP App view, to ${MAX_VIEW_BYTES} bytes`,
        value: gzipSync(toastPage, { level: 9 }).length / MAX_VIEW_BYTES,
        target: { atMost: 1 },
      },
    ],
    caveats: [
      'Of the 200 toasts, the element draws three at once, fifty wait in its queue, and the others are in its notification center.',
      'notyf shows every toast at once, react-hot-toast twenty, sonner and the element three; sonner keeps the others in the page.',
      'sonner and react-hot-toast need React, which the sizes do not include (about 60 kB gzipped).',
    ],
  };
}

/** A toast library on a page. */
interface ToastSubject {
  readonly name: string;
  /** A module that sets `window.showToast(message)`. */
  readonly source: string;
  /** Modules that every user of the library already has; they do not count for its size. */
  readonly given: readonly string[];
}

/** What a page installs: in the workspace, the name of the package means its sources. */
const publishedToaster = join(
  dirname(fileURLToPath(import.meta.resolve('@deskside/toaster/package.json'))),
  'dist/index.js',
);

const REACT = ['react', 'react-dom', 'react-dom/client', 'react/jsx-runtime'];

const mounted = `
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(Toaster));
`;

const toastSubjects: readonly ToastSubject[] = [
  {
    name: '@deskside/toaster',
    source: `
      import '@deskside/toaster';
      const toaster = document.body.appendChild(document.createElement('deskside-toaster'));
      window.showToast = (message) => toaster.show({ message, severity: 'info' });
    `,
    given: [],
  },
  {
    name: 'sonner',
    source: `
      import { toast, Toaster } from 'sonner';
      ${mounted}
      window.showToast = (message) => toast.info(message);
    `,
    given: REACT,
  },
  {
    name: 'react-hot-toast',
    source: `
      import { toast, Toaster } from 'react-hot-toast';
      ${mounted}
      window.showToast = (message) => toast(message);
    `,
    given: REACT,
  },
  {
    name: 'notyf',
    source: `
      import { Notyf } from 'notyf';
      import 'notyf/notyf.min.css';
      const notyf = new Notyf();
      window.showToast = (message) => notyf.success(message);
    `,
    given: [],
  },
];

interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** Minified, as a page loads it. */
async function bundle({ source }: ToastSubject, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    outdir: 'out',
    bundle: true,
    minify: true,
    format: external.length === 0 ? 'iife' : 'esm',
    target: 'chrome123',
    alias: { '@deskside/toaster': publishedToaster },
    define: { 'process.env.NODE_ENV': '"production"' },
    external: [...external],
    legalComments: 'none',
    write: false,
  });
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

/** Gzipped bytes that the library adds to a page. */
async function gzippedSize(subject: ToastSubject): Promise<number> {
  const { script, style } = await bundle(subject, subject.given);
  return gzipSync(script, { level: 9 }).length + (style === '' ? 0 : gzipSync(style, { level: 9 }).length);
}

/** CPU milliseconds of the page's main thread for two hundred toasts in a second. */
interface FloodCost {
  readonly longestTask: number;
  readonly total: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time of the thread in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** @throws Error if Chromium is not at this path */
function openChromium(executablePath = '/usr/bin/chromium'): Promise<Browser> {
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
  ];
  return chromium.launch({ executablePath, args });
}

async function flood(browser: Browser, { script, style }: Bundle): Promise<FloodCost> {
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
    return costOf(trace.traceEvents);
  } finally {
    await page.close();
  }
}

function costOf(trace: readonly TraceEvent[]): FloodCost {
  const named = trace.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const threads = new Set(named.map(({ pid, tid }) => `${pid}/${tid}`));
  const tasks = trace
    .filter(({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && threads.has(`${pid}/${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  return { longestTask: Math.max(0, ...tasks), total: tasks.reduce((sum, task) => sum + task, 0) };
}
