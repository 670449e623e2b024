-- How the senders of a webhook sign, where that is none of the formats we know; null: one of those.
alter table webhooks add column signature jsonb;
