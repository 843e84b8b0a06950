import { codePointLength } from '@deskside/core/text';
import { MAX_SHOWN_CODE_POINTS } from '../../notification/safe-text.ts';

/** What a service expects of a webhook, in Liquid with the values of `body`. */
export interface ServiceTemplate {
  readonly body: string;
  /** What the service shows of a message. */
  readonly maxCodePoints: number;
  /** False for a message that it refuses: escapes make it longer. */
  readonly fits?: (text: string) => boolean;
  /** Settings that it needs besides `url`. */
  readonly needs: readonly ('token' | 'user')[];
  /** Header that carries the token. */
  readonly tokenHeader?: string;
  /** Answers that refuse the message alone. */
  readonly refusal: RegExp;
  /** The title of what comes late has its time, because the service shows none. */
  readonly isDated?: boolean;
}

const teams = `{"type": "message", "attachments": [{
  "contentType": "application/vnd.microsoft.card.adaptive",
  "content": {"type": "AdaptiveCard", "version": "1.4", "body": [
    {"type": "TextBlock", "weight": "Bolder", "wrap": true, "text": {{ title | json }},
      "color": "{% if level == 'error' %}Attention{% elsif level == 'warn' %}Warning{% else %}Default{% endif %}"},
    {"type": "TextBlock", "wrap": true, "text": {{ message | json }}}]}}]}`;

const gotify = `{"title": {{ title | json }}, "message": {{ message | json }},
  "priority": {% if level == 'error' %}8{% elsif level == 'warn' %}5{% else %}2{% endif %},
  "extras": {"client::display": {"contentType": "text/markdown"}}}`;

const pushover = `{"token": {{ token | json }}, "user": {{ user | json }}, "title": {{ title | truncate: 250 | json }}, "message": {{ message | json }},
  "priority": {% if level == 'error' %}1{% elsif level == 'warn' %}0{% else %}-1{% endif %}, "timestamp": {{ seconds }}}`;

/** Pushover refuses a longer message, and a title of more than 250 characters. */
const MAX_PUSHOVER_CODE_POINTS = 1024;
/** A workflow in Teams accepts 28 kB with the card and its title. */
const MAX_TEAMS_BYTES = 24_000;

export const templates = {
  teams: {
    body: teams,
    maxCodePoints: 5000,
    fits: (text) => Buffer.byteLength(JSON.stringify(text)) <= MAX_TEAMS_BYTES,
    needs: [],
    isDated: true,
    refusal: /TriggerInputSchemaMismatch|InvalidRequestContent|Bad payload/i,
  },
  gotify: {
    body: gotify,
    maxCodePoints: MAX_SHOWN_CODE_POINTS,
    needs: ['token'],
    tokenHeader: 'x-gotify-key',
    isDated: true,
    refusal: /"errorCode":400\b/,
  },
  pushover: {
    body: pushover,
    maxCodePoints: 1000,
    fits: (text) => codePointLength(text) <= MAX_PUSHOVER_CODE_POINTS,
    needs: ['token', 'user'],
    // It names the fields that are wrong.
    refusal: /"(?:message|title|priority|timestamp)":/,
  },
} as const satisfies Readonly<Record<string, ServiceTemplate>>;
