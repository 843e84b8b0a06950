import type { InboxRequest } from '@deskside/desktop';
import type { SystemInfo } from '../desktop/system.ts';
import type { PageServer } from '../page/page-server.ts';
import type { PopupSpec } from '../service/presenter.ts';

/** A plain question, with the given changes. */
export function popupSpec(
  question: Partial<InboxRequest> = {},
  rest: Partial<Omit<PopupSpec, 'question'>> = {},
): PopupSpec {
  const kind = question.approval === undefined ? 'question' : 'approval';
  return {
    question: inboxRequest({ kind, showsHistory: true, ...question }),
    history: [],
    drafts: [],
    missed: [],
    onDraft: () => undefined,
    onDeleteDraft: () => undefined,
    onActivity: () => undefined,
    ...rest,
  };
}

/** A plain question of an agent, with the given changes. */
export function inboxRequest(changes: Partial<InboxRequest> = {}): InboxRequest {
  const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: false } as const;
  return { kind: 'question', message: 'Which one?', caller: 'Example host', ...about, ...changes };
}

/** The first address that opens the page. */
export function addressOf({ addresses }: PageServer): string {
  const [first] = addresses;
  if (first === undefined) throw new Error('the page has no address');
  return first;
}

/** A Linux system, with the given changes. */
export function testSystem(changes: Partial<SystemInfo>): SystemInfo {
  return {
    platform: 'linux',
    env: {},
    home: '/home/anna',
    temporaryFolder: '/tmp',
    uid: 1000,
    workingDirectory: '/home/anna/project',
    processId: process.pid,
    runtimeFolder: '/nowhere/run',
    systemBus: '/nowhere/bus',
    x11Folder: '/nowhere/x11',
    ancestors: async () => ['node', 'bash'],
    ...changes,
  };
}
