-- The failed run that a retry continues: the first of them, when a retry failed as well and was retried in turn. It never changes, so the
-- index costs nothing when a run ends; and most runs are no retries, so it stays small.
alter table runs add column retry_of uuid;
create index runs_retries on runs (retry_of) where retry_of is not null;
