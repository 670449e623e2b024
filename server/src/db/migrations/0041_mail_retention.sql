-- What is over leaves the outbox after a while.
create index mails_over on mails (created_at) where status in ('Sent', 'Failed');
