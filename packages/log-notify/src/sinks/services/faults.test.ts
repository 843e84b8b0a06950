import { expect, onTestFinished, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { testHost } from '../../testing/post-of.ts';
import { startReceiver } from '../../testing/receiver.ts';
import type { SinkDefinition } from '../define-sink.ts';
import { apprise } from './apprise.ts';
import { discord } from './discord.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

interface Service {
  readonly sink: SinkDefinition;
  readonly settings: Readonly<Record<string, unknown>>;
}

const services = {
  telegram: { sink: telegram, settings: { token: '1:a', chat: '7' } },
  pushover: { sink: webhook, settings: { template: 'pushover', token: 't', user: 'u' } },
  slack: { sink: slack, settings: {} },
  discord: { sink: discord, settings: {} },
  ntfy: { sink: ntfy, settings: { topic: 'desk' } },
  gotify: { sink: webhook, settings: { template: 'gotify', token: 't' } },
  teams: { sink: webhook, settings: { template: 'teams' } },
  apprise: { sink: apprise, settings: { key: 'desk' } },
  webhook: { sink: webhook, settings: {} },
} as const satisfies Readonly<Record<string, Service>>;

const telegramSays = (code: number, description: string, parameters = {}) =>
  JSON.stringify({ ok: false, error_code: code, description, parameters });
const pushoverSays = (wrong: string, errors: string) =>
  JSON.stringify({ [wrong]: 'invalid', errors: [errors], status: 0, request: '647d2300' });
const discordSays = (code: number, message: string, errors = {}) => JSON.stringify({ message, code, errors });
const ntfySays = (code: number, error: string) =>
  JSON.stringify({ code, http: Math.floor(code / 100), error });

/** What the services document, and what it is about. */
const documented: readonly (readonly [
  service: keyof typeof services,
  status: number,
  body: string,
  fault: 'settings' | 'message' | 'later',
])[] = [
  ['telegram', 400, telegramSays(400, 'Bad Request: chat not found'), 'settings'],
  ['telegram', 400, telegramSays(400, "Bad Request: can't parse entities: unclosed tag"), 'message'],
  ['telegram', 400, telegramSays(400, 'Bad Request: message is too long'), 'message'],
  ['telegram', 400, telegramSays(400, 'Bad Request: message text is empty'), 'message'],
  ['telegram', 429, telegramSays(429, 'Too Many Requests: retry after 5', { retry_after: 5 }), 'later'],
  ['pushover', 400, pushoverSays('token', 'application token is invalid'), 'settings'],
  ['pushover', 400, pushoverSays('message', 'message cannot be blank'), 'message'],
  ['pushover', 413, '', 'message'],
  ['slack', 400, 'invalid_payload', 'message'],
  ['slack', 400, 'invalid_blocks', 'message'],
  ['slack', 400, 'no_text', 'message'],
  ['slack', 400, 'user_not_found', 'settings'],
  ['discord', 400, discordSays(50_035, 'Invalid Form Body', { embeds: ['0'] }), 'message'],
  ['discord', 400, discordSays(50_006, 'Cannot send an empty message'), 'message'],
  ['discord', 400, discordSays(240_000, 'Message blocked by harmful links filter'), 'message'],
  ['discord', 400, discordSays(50_035, 'Invalid Form Body', { webhook_id: { _errors: [] } }), 'settings'],
  ['discord', 400, discordSays(220_001, 'Webhooks posted to forum channels must have a thread'), 'settings'],
  ['discord', 404, discordSays(10_015, 'Unknown Webhook'), 'settings'],
  ['ntfy', 400, ntfySays(40_009, 'invalid request: topic invalid'), 'settings'],
  ['ntfy', 400, ntfySays(40_007, 'invalid priority parameter'), 'message'],
  ['ntfy', 400, ntfySays(40_011, 'invalid message: message must be UTF-8 encoded'), 'message'],
  ['ntfy', 400, ntfySays(40_017, 'invalid request: request body must be message JSON'), 'message'],
  ['gotify', 400, '{"error":"Bad Request","errorCode":400}', 'message'],
  ['gotify', 401, '{"error":"Unauthorized","errorCode":401}', 'settings'],
  ['teams', 400, '{"error":{"code":"TriggerInputSchemaMismatch"}}', 'message'],
  ['teams', 400, '{"error":{"code":"WorkflowTriggerIsNotEnabled"}}', 'settings'],
  ['apprise', 204, '', 'settings'],
  ['apprise', 400, '{"error":"Payload lacks minimum requirements"}', 'message'],
  ['apprise', 403, '{"error":"The site has been configured to deny this request"}', 'settings'],
  ['apprise', 424, '{"error":"One or more notification could not be sent"}', 'message'],
  ['apprise', 431, '{"error":"Fields exceed the limit"}', 'message'],
  ['webhook', 400, 'Bad Request', 'message'],
  ['webhook', 422, '', 'message'],
  ['webhook', 302, '', 'settings'],
  ['webhook', 408, '', 'later'],
];

const NAMES = { settings: 'Error', message: 'Undeliverable', later: 'RetryLater' };

test.each(documented)(
  'an answer of %s with %i and %s is a fault of: %s',
  async (name, status, body, fault) => {
    const receiver = await startReceiver((response) =>
      response.writeHead(status, { location: '/' }).end(body),
    );
    onTestFinished(async () => receiver[Symbol.asyncDispose]());
    const { sink, settings } = services[name];
    const url = new URL(receiver.url.origin);
    const failure = await sink
      .open({ url, ...settings }, testHost)
      .deliver([sampleNotification('a')], new AbortController().signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: NAMES[fault], message: expect.stringContaining(String(status)) });
  },
);
