import type { Overrides } from './plan.ts';

/** Values of the environment variables that configure services without a file. They are validated. */
export interface ServiceVariables {
  readonly ntfyTopic?: string | undefined;
  readonly ntfyUrl?: URL | undefined;
  readonly ntfyToken?: string | undefined;
  readonly webhookUrl?: URL | undefined;
  readonly webhookSecret?: string | undefined;
  readonly slackUrl?: URL | undefined;
  readonly discordUrl?: URL | undefined;
  readonly telegramToken?: string | undefined;
  readonly telegramChat?: string | undefined;
}

export interface ServicesFromEnvironment {
  readonly services: NonNullable<Overrides['services']>;
  readonly problems: readonly string[];
}

export function servicesFrom(variables: ServiceVariables): ServicesFromEnvironment {
  const { ntfyTopic, ntfyUrl, ntfyToken, webhookUrl, webhookSecret, slackUrl, discordUrl } = variables;
  const { telegramToken, telegramChat } = variables;
  const isTelegramIncomplete = (telegramToken === undefined) !== (telegramChat === undefined);
  const ntfy = { topic: ntfyTopic ?? '', url: ntfyUrl, token: ntfyToken };
  const telegram = { token: telegramToken ?? '', chat: telegramChat ?? '' };
  return {
    services: {
      ...(ntfyTopic === undefined ? {} : { ntfy: [ntfy] }),
      ...(webhookUrl === undefined ? {} : { webhook: [{ url: webhookUrl, secret: webhookSecret }] }),
      ...(slackUrl === undefined ? {} : { slack: [{ url: slackUrl }] }),
      ...(discordUrl === undefined ? {} : { discord: [{ url: discordUrl }] }),
      ...(telegram.token === '' || telegram.chat === '' ? {} : { telegram: [telegram] }),
    },
    problems: [
      ...(isTelegramIncomplete
        ? ['Telegram needs LOG_NOTIFY_TELEGRAM_TOKEN and LOG_NOTIFY_TELEGRAM_CHAT.']
        : []),
      ...(ntfyTopic === undefined && (ntfyUrl ?? ntfyToken) !== undefined
        ? ['ntfy needs LOG_NOTIFY_NTFY_TOPIC.']
        : []),
      ...(webhookUrl === undefined && webhookSecret !== undefined
        ? ['LOG_NOTIFY_WEBHOOK_SECRET needs LOG_NOTIFY_WEBHOOK_URL.']
        : []),
    ],
  };
}
