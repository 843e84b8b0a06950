import { testBehaviors } from '../testing/in-page.ts';

testBehaviors([
  {
    title: 'styles of a page that change everything leave toasts visible and pressable',
    run: async () => {
      const { toaster, draw, isPressable } = tools;
      const sheets = [
        '* { all: unset; }',
        'body { pointer-events: none; }',
        '[popover] { display: none !important; }',
        'html, body { transform: rotate(9deg) scale(.2); }',
        'body { opacity: 0; filter: blur(9px); clip-path: inset(50%); }',
        'body { contain: strict; overflow: hidden; height: 0; zoom: 2; }',
        'html { font-size: 1px; } body { font-size: 0; line-height: 0; color: transparent; }',
        '* { z-index: 2147483647 !important; position: relative !important; }',
        '* { inset: 9999px !important; translate: 9999px !important; }',
      ];
      const style = document.createElement('style');
      document.head.append(style);
      toaster.show({ message: 'Saved', duration: 0 });
      const unreached: string[] = [];
      for (const sheet of sheets) {
        style.textContent = sheet;
        await draw();
        if (!isPressable('Saved')) unreached.push(sheet);
      }
      style.remove();
      return unreached;
    },
    expected: [],
  },
  {
    title: 'an action calls its function and closes the toast, unless the page keeps it',
    run: () => {
      const { toaster, shown } = tools;
      const undone: string[] = [];
      const press = () => toaster.shadowRoot?.querySelector<HTMLElement>('.stack .action')?.click();
      toaster.success('Event has been deleted', {
        title: 'Sunday, 3 December',
        action: { label: 'Undo', onClick: () => undone.push('closed') },
      });
      press();
      const afterUndo = shown();
      toaster.success('Event has been deleted', {
        actions: [
          {
            label: 'Undo',
            onClick(event) {
              event.preventDefault();
              undone.push('kept');
            },
          },
          { label: 'Later', action: 'dismiss' },
        ],
      });
      press();
      const afterKeeping = shown();
      toaster.openCenter();
      const inCenter = toaster.shadowRoot?.querySelectorAll('.center .action').length;
      return { undone, afterUndo, afterKeeping, inCenter };
    },
    expected: {
      undone: ['closed', 'kept'],
      afterUndo: [],
      afterKeeping: ['Event has been deleted'],
      inCenter: 0,
    },
  },
  {
    title: 'promise takes a function and texts, and shows the result in the same toast',
    run: async () => {
      const { toaster, shown, settle } = tools;
      const work = Promise.withResolvers<{ readonly name: string }>();
      const texts = {
        loading: 'Loading',
        success: ({ name }: { readonly name: string }) => `${name} has been added`,
        error: 'Nothing was added',
      };
      const result = toaster.promise(() => work.promise, texts);
      const broken = toaster.promise((): Promise<{ readonly name: string }> => {
        throw new Error('offline');
      }, texts);
      broken.catch(() => undefined);
      const before = shown();
      work.resolve({ name: 'Sonnet' });
      const { name } = await result;
      await settle();
      const severities = [...(toaster.shadowRoot?.querySelectorAll('.card') ?? [])].map(
        (card) => card.className,
      );
      return { name, before, after: shown(), severities, history: toaster.history.length };
    },
    expected: {
      name: 'Sonnet',
      before: ['Loading', '(Loading)'],
      after: ['Nothing was added', 'Sonnet has been added'],
      severities: ['card error', 'card success'],
      history: 2,
    },
  },
  {
    title:
      'a node of the page is shown as icon or instead of the message, with the styles and events of the page',
    run: async () => {
      const { toaster, announced, settle } = tools;
      const style = document.createElement('style');
      style.textContent = '.mine { color: rgb(1, 2, 3) }';
      document.head.append(style);
      const body = Object.assign(document.createElement('button'), {
        className: 'mine',
        textContent: 'Upgrade',
      });
      const icon = Object.assign(document.createElement('b'), { className: 'mine', textContent: '*' });
      const clicks: string[] = [];
      body.addEventListener('click', () => clicks.push('clicked'));
      const id = toaster.info('A new version is there', { title: 'Version 2', body, icon, duration: 0 });
      const isShown = () =>
        [body, icon].every((node) => {
          const { width, height } = node.getBoundingClientRect();
          return getComputedStyle(node).color === 'rgb(1, 2, 3)' && width > 0 && height > 0;
        });
      const first = isShown();
      await settle();
      body.click();
      toaster.update(id, { title: 'Version 3' });
      const second = isShown();
      const texts = [
        toaster.shadowRoot?.querySelector('.card .title')?.textContent,
        toaster.shadowRoot?.querySelector('.card .message'),
      ];
      toaster.openCenter();
      const inCenter = toaster.shadowRoot?.querySelector('.center .message')?.textContent;
      toaster.dismiss(id);
      return {
        first,
        second,
        texts,
        clicks,
        inCenter,
        connected: [body.isConnected, icon.isConnected],
        announced: announced[0],
      };
    },
    expected: {
      first: true,
      second: true,
      texts: ['Version 3', null],
      clicks: ['clicked'],
      inCenter: 'A new version is there',
      connected: [false, false],
      announced: 'Information: Version 2. A new version is there',
    },
  },
  {
    title:
      'getToaster finds the toaster of the page also in a modal dialog of a shadow root, and adds one to a page without any',
    run: async () => {
      const { toaster, isPressable, draw } = tools;
      const { getToaster } = deskside;
      const dialog = document.body.appendChild(document.createElement('div'));
      const modal = dialog.attachShadow({ mode: 'open' }).appendChild(document.createElement('dialog'));
      modal.showModal();
      toaster.info('moves');
      await draw();
      const moved = modal.contains(toaster) && isPressable('moves');
      const found = getToaster() === toaster;
      const closed = new Promise((resolve) => modal.addEventListener('close', resolve));
      modal.close();
      await closed;
      await draw();
      const back = toaster.parentNode === document.body && isPressable('moves');
      dialog.remove();
      for (const old of document.querySelectorAll('deskside-toaster')) old.remove();
      toaster.remove();
      const added = getToaster();
      added.success('Here');
      return [
        moved,
        found,
        back,
        added !== toaster,
        added.parentNode === document.body,
        getToaster() === added,
      ];
    },
    expected: [true, true, true, true, true, true],
  },
  {
    title: 'a result that comes while a prompt is being sent stays when it is sent',
    run: async () => {
      const { toaster, shown, settle } = tools;
      const sending = Promise.withResolvers<void>();
      toaster.addEventListener('deskside-prompt', ({ detail }) => detail.waitUntil(sending.promise));
      const actions = [{ label: 'Retry Build', action: 'prompt', prompt: 'retry the build' }] as const;
      toaster.show({ id: 'build', message: 'Build failed', severity: 'error', duration: 0, actions });
      toaster.shadowRoot?.querySelector<HTMLElement>('.stack .action')?.click();
      toaster.show({ id: 'build', message: 'Build passed', severity: 'success', duration: 0 });
      sending.resolve();
      await settle();
      return shown();
    },
    expected: ['Build passed'],
  },
  {
    title: 'update with one action takes the place of several, and without one removes it',
    run: () => {
      const { toaster } = tools;
      const labels = () =>
        [...(toaster.shadowRoot?.querySelectorAll('.stack .label') ?? [])].map((each) => each.textContent);
      const actions = [{ label: 'View Logs', action: 'prompt', prompt: 'show the logs' }] as const;
      const id = toaster.error('Build failed', { actions, duration: 0 });
      toaster.update(id, { message: 'Build passed', action: { label: 'Open', onClick: () => undefined } });
      const one = labels();
      Reflect.apply(toaster.update, toaster, [id, { action: undefined }]);
      return [one, labels()];
    },
    expected: [['Open'], []],
  },
]);
