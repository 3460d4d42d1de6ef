-- What a webhook is sent: the signed event as JSON, or a message for Slack's incoming webhooks.

alter table webhook_endpoints add column format text not null default 'json' check (format in ('json', 'slack'));
