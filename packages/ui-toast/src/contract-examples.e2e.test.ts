// The calls that the specification prints, against the built program. It prints no whole answer: the answer is the
// notification of the call with an id, the time, and the defaults of what the call leaves out.
import { join } from 'node:path';
import { connectStdio, firstText, type Peer } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const ERAS = ['legacy', 'modern'] as const;
/** A client that shows the result: its answers have no note. */
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;

const EXAMPLES = [
  `{
    "message": "Build failed - 3 tests failing",
    "severity": "error",
    "title": "Build Failure",
    "duration": 0,
    "actions": [
      {
        "label": "View Logs",
        "action": "prompt",
        "prompt": "show me the build logs"
      },
      {
        "label": "Dismiss",
        "action": "dismiss"
      }
    ],
    "position": "top-right"
  }`,
  `{
    "message": "Workflow deployed successfully to production!",
    "severity": "success",
    "duration": 5000
  }`,
  `{
    "message": "Build failed - 3 tests failing. Check logs for details.",
    "severity": "error",
    "title": "Build Failure",
    "duration": 0,
    "actions": [
      {
        "label": "View Logs",
        "action": "prompt",
        "prompt": "show me the detailed build logs"
      },
      {
        "label": "Retry Build",
        "action": "prompt",
        "prompt": "retry the build"
      },
      {
        "label": "Dismiss",
        "action": "dismiss"
      }
    ]
  }`,
  `{
    "message": "Budget threshold exceeded - you've spent $47,500 of $50,000",
    "severity": "warning",
    "title": "Budget Alert",
    "duration": 10000,
    "actions": [
      {
        "label": "View Spending",
        "action": "prompt",
        "prompt": "show me detailed cost breakdown"
      }
    ]
  }`,
  `{
    "message": "New agent 'Analytics Pro' is now available in the registry",
    "severity": "info",
    "title": "New Agent Available",
    "duration": 0,
    "actions": [
      {
        "label": "View Agent",
        "action": "prompt",
        "prompt": "tell me about Analytics Pro agent"
      },
      {
        "label": "Later",
        "action": "dismiss"
      }
    ],
    "position": "top-center"
  }`,
  `{
    "message": "Database backup completed",
    "severity": "success",
    "duration": 3000
  }`,
  `{ "message": "Saved", "severity": "info", "actions": [
    {
      "label": "OK",
      "action": "dismiss"
    }
  ] }`,
  `{ "message": "Failed", "severity": "error", "actions": [
    {
      "label": "Show Details",
      "action": "prompt",
      "prompt": "show me detailed information about this error"
    }
  ] }`,
];

async function connect(era: (typeof ERAS)[number]): Promise<Peer> {
  const peer = await connectStdio({ command: process.execPath, args: [CLI] }, { era, capabilities });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

test.each(ERAS)(
  'in the %s era, each printed call returns its notification with a new id and the time',
  async (era) => {
    const peer = await connect(era);
    const ids = new Set<string>();
    for (const example of EXAMPLES) {
      const args = JSON.parse(example) as Record<string, unknown>;
      const sentAtMs = Date.now();
      const answer = await peer.callTool('show_notification', args);
      const { notification } = answer.structuredContent as {
        notification: { id: string; timestamp: string };
      };
      const { id, timestamp } = notification;
      expect(id).toMatch(UUID);
      ids.add(id);
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(sentAtMs);
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
      const { message, severity, title, duration = 5000, actions, position = 'top-right' } = args;
      const expected = { id, message, severity, title, duration, actions, position, timestamp };
      expect(answer.content).toStrictEqual([
        { type: 'text', text: JSON.stringify({ notification: expected }) },
      ]);
      expect(answer.isError ?? false).toBe(false);
    }
    expect(ids.size).toBe(EXAMPLES.length);
  },
);

const simple = { message: 'Build failed', severity: 'error' };
const dismiss = { label: 'OK', action: 'dismiss' };

test('each printed condition of an error is an error of the built program', async () => {
  const peer = await connect('modern');
  for (const [args, error] of [
    [{ message: undefined }, 'Missing required parameter: message'],
    [{ severity: 'fatal' }, 'Invalid severity: "fatal". Must be one of: info, success, warning, error'],
    [{ message: 'x'.repeat(501) }, 'Message too long (max 500 characters)'],
    [{ title: 'x'.repeat(101) }, 'Title too long (max 100 characters)'],
    [{ actions: [dismiss, dismiss, dismiss, dismiss] }, 'Maximum 3 actions allowed'],
    [
      { actions: [{ ...dismiss, action: 'open' }] },
      `Invalid action type: "open". Must be 'dismiss' or 'prompt'`,
    ],
    [{ duration: 30_001 }, 'Duration must be between 0 and 30000ms'],
    [{ position: 'left' }, 'Invalid position: "left". Must be one of: top-right, top-center, bottom-right'],
  ] as const) {
    const answer = await peer.callTool('show_notification', { ...simple, ...args });
    expect(answer.isError).toBe(true);
    expect(answer).not.toHaveProperty('structuredContent');
    expect(JSON.parse(firstText(answer))).toMatchObject({ error, code: 'INVALID_ARGUMENT' });
  }
});
