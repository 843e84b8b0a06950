/** What the scripted agent does for a message: the patterns of the contract. */
export type Step = { readonly say: string } | { readonly call: Readonly<Record<string, unknown>> };

const scripts: readonly { readonly when: RegExp; readonly steps: readonly Step[] }[] = [
  {
    when: /deploy/i,
    steps: [
      { say: "Deploying now... I'll notify you when it completes." },
      {
        call: {
          message: 'Workflow deployed successfully to production!',
          severity: 'success',
          duration: 5000,
        },
      },
    ],
  },
  {
    when: /run the tests|retry/i,
    steps: [
      { say: "Running tests... Uh oh, 3 tests failed. I'm showing you an alert with options." },
      {
        call: {
          message: 'Build failed - 3 tests failing. Check logs for details.',
          severity: 'error',
          title: 'Build Failure',
          duration: 0,
          actions: [
            { label: 'View Logs', action: 'prompt', prompt: 'show me the detailed build logs' },
            { label: 'Retry Build', action: 'prompt', prompt: 'retry the build' },
            { label: 'Dismiss', action: 'dismiss' },
          ],
        },
      },
    ],
  },
  {
    when: /spend|cost/i,
    steps: [
      { say: 'Wait - I notice your spending is getting high.' },
      {
        call: {
          message: "Budget threshold exceeded - you've spent $47,500 of $50,000",
          severity: 'warning',
          title: 'Budget Alert',
          duration: 10_000,
          actions: [{ label: 'View Spending', action: 'prompt', prompt: 'show me detailed cost breakdown' }],
        },
      },
      { say: "Click 'View Spending' in the notification to see details." },
    ],
  },
  {
    when: /agent/i,
    steps: [
      {
        call: {
          message: "New agent 'Analytics Pro' is now available in the registry",
          severity: 'info',
          title: 'New Agent Available',
          duration: 0,
          actions: [
            { label: 'View Agent', action: 'prompt', prompt: 'tell me about Analytics Pro' },
            { label: 'Later', action: 'dismiss' },
          ],
          position: 'top-center',
        },
      },
      { say: 'There is something new in the registry.' },
    ],
  },
  { when: /logs/i, steps: [{ say: 'FAIL checkout.test.ts: 3 tests failed of 214.' }] },
  {
    when: /flood/i,
    steps: Array.from({ length: 25 }, (_, n): Step => ({
      call: { message: `Job ${n + 1} is done`, severity: 'info', position: 'bottom-right' },
    })),
  },
];

export function stepsFor(message: string): readonly Step[] {
  const script = scripts.find(({ when }) => when.test(message));
  return script?.steps ?? [{ say: `You said: “${message}”. Try one of the buttons below.` }];
}
