import { MAX_SHOWN_CODE_POINTS } from '../../notification/safe-text.ts';

/** What a service expects of a webhook, in Liquid with the values of `body`. */
export interface ServiceTemplate {
  readonly body: string;
  /** What the service shows of a message. */
  readonly maxCodePoints: number;
  /** Settings that it needs besides `url`. */
  readonly needs: readonly ('token' | 'user')[];
  /** Header that carries the token. */
  readonly tokenHeader?: string;
  /** The body has the time in a field. */
  readonly hasTime?: boolean;
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

const pushover = `{"token": {{ token | json }}, "user": {{ user | json }}, "title": {{ title | json }}, "message": {{ message | json }},
  "priority": {% if level == 'error' %}1{% elsif level == 'warn' %}0{% else %}-1{% endif %}, "timestamp": {{ seconds }}}`;

/** Pushover refuses a longer message or title. Templates of a workflow in Teams have at most 28 kB. */
export const templates = {
  teams: { body: teams, maxCodePoints: 5000, needs: [] },
  gotify: {
    body: gotify,
    maxCodePoints: MAX_SHOWN_CODE_POINTS,
    needs: ['token'],
    tokenHeader: 'x-gotify-key',
  },
  pushover: { body: pushover, maxCodePoints: 1000, needs: ['token', 'user'], hasTime: true },
} as const satisfies Readonly<Record<string, ServiceTemplate>>;
