import { testBehaviors } from '../testing/in-page.ts';

testBehaviors([
  {
    title: 'a hidden tab records the result of a tool, and shows it when it becomes visible',
    run: () => {
      const { toaster, shown } = tools;
      let isHidden = true;
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      const timestamp = new Date().toISOString();
      toaster.show({ id: 'r1', message: 'Deployed', severity: 'success', duration: 0, timestamp });
      const hidden = [shown(), toaster.history.length, toaster.unread];
      isHidden = false;
      document.dispatchEvent(new Event('visibilitychange'));
      return [hidden, shown(), toaster.history.length];
    },
    expected: [[[], 1, 1], ['Deployed'], 1],
  },
  {
    title: 'promise ends its spinner if a description throws, if nothing is a promise, and without a reason',
    run: async () => {
      const { toaster, shown, settle } = tools;
      const broken = {
        loading: { message: 'Saving' },
        success: (): string => JSON.parse('{'),
        error: (): string => JSON.parse('{'),
      };
      await toaster.promise(Promise.resolve(1), broken);
      toaster.promise(Promise.reject(new Error('disk full')), broken).catch(() => undefined);
      await settle();
      const described = shown();
      toaster.dismiss();
      const texts = { loading: 'Saving', success: 'Saved', error: 'Failed' };
      // A page of JavaScript may return no promise.
      await Reflect.apply(toaster.promise, toaster, [() => 7, texts]);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a page may
      toaster.promise(Promise.reject(undefined), texts).catch(() => undefined);
      await settle();
      return [described, shown().toSorted()];
    },
    expected: [
      ['disk full', 'Success'],
      ['Failed', 'Saved'],
    ],
  },
  {
    title: 'a toast that closes by itself does not displace one that stays',
    run: () => {
      const { toaster, shown, wait } = tools;
      toaster.show({ message: 'Disk failing', severity: 'warning', duration: 0 });
      toaster.loading('Uploading');
      for (const n of [1, 2, 3, 4]) toaster.show({ message: `Job ${n}`, severity: 'info' });
      const before = shown();
      wait(5000);
      return [before, shown()];
    },
    expected: [
      ['Job 4', '(Uploading)', '(Disk failing)'],
      ['Uploading', '(Disk failing)'],
    ],
  },
  {
    title: 'a long text without a duration stays as long as reading takes, and an explicit duration is exact',
    run: () => {
      const { toaster, shown, wait } = tools;
      const message = 'x'.repeat(500);
      const timestamp = new Date().toISOString();
      toaster.show({ message, severity: 'warning' });
      toaster.show({ id: 'r', message, severity: 'warning', duration: 5000, timestamp });
      toaster.show({ message: 'short', severity: 'info' });
      const [label, prompt] = ['Details', 'p'.repeat(193)];
      const actions = [{ label, action: 'prompt', prompt }] as const;
      toaster.show({ message, severity: 'info', duration: 1000, actions, position: 'bottom-right' });
      const counts = [0, 999, 1, 4000, 19_999, 1].map((ms) => {
        wait(ms);
        return shown().length;
      });
      return counts;
    },
    expected: [4, 4, 3, 2, 2, 0],
  },
  {
    title: 'many updates of a toast are announced at most every two seconds, the last one too',
    run: async () => {
      const { toaster, announced, settle, wait } = tools;
      const id = toaster.info('10 %', { duration: 0 });
      await settle();
      for (const percent of [20, 30, 40, 50, 60]) {
        toaster.update(id, { message: `${percent} %` });
        await settle();
      }
      wait(5000);
      await settle();
      return announced;
    },
    expected: [10, 20, 60].map((percent) => `Information: ${percent} %`),
  },
  {
    title: 'the live regions name five of two hundred toasts, then their count, and an error at once',
    run: async () => {
      const { toaster, announced, settle, wait } = tools;
      for (let n = 1; n <= 200; n += 1) toaster.show({ message: `Job ${n}`, severity: 'info', duration: 0 });
      toaster.show({ message: 'Disk full', severity: 'error', duration: 0 });
      await settle();
      const atOnce = [...announced];
      wait(10_000);
      await settle();
      return [atOnce, announced.slice(atOnce.length).filter(Boolean)];
    },
    expected: [[...[1, 2, 3, 4, 5].map((n) => `Information: Job ${n}`), 'Error: Disk full'], ['195 more']],
  },
  {
    title: 'on a small screen errors pile with each other, and less than half of it is covered',
    size: [320, 640],
    run: () => {
      const { toaster, shown } = tools;
      const message = 'Workflow deployed successfully to production with all of its dependencies';
      for (const severity of ['error', 'info', 'warning', 'error', 'error'] as const) {
        toaster.show({ message: `${severity}: ${message}`, severity, duration: 0 });
      }
      const cards = [...(toaster.shadowRoot?.querySelectorAll('.stack .card') ?? [])];
      const bottom = Math.max(...cards.map((card) => card.getBoundingClientRect().bottom));
      return [shown().map((text) => text.replace(/:.*/, '')), bottom < 320];
    },
    expected: [['error', '(error', '(error'], true],
  },
]);
