-- older processes: may stay
-- The audit log lies in one table a month: what is young is found without passing over what is old, months that are over stay as they are, and one
-- that retention has emptied goes as a whole. What was there before stays in a table of its own, up to the end of the month.
alter table audit_log rename to audit_log_before;
alter index audit_log_by_organization rename to audit_log_before_by_organization;
alter table audit_log_before drop constraint audit_log_pkey;
alter table audit_log_before alter column id drop identity;

create sequence audit_ids;
select setval('audit_ids', (select coalesce(max(id), 0) + 1 from audit_log_before), false);
grant usage on sequence audit_ids to patchbay_app, patchbay_system;

-- Numbers come from one sequence, so they are unique although no index over all months says so.
create table audit_log (like audit_log_before including defaults) partition by range (at);
alter table audit_log alter column id set default nextval('audit_ids');
alter sequence audit_ids owned by audit_log.id;
create index audit_log_by_id on audit_log (id);
create index audit_log_by_organization on audit_log (organization_id, id);
create index audit_log_by_time on audit_log using brin (at);
call protect('audit_log', 'organization_id = current_organization()');
revoke update, delete on audit_log from patchbay_app, patchbay_system;
create policy retention on audit_log to current_user using (true);

do $$ begin
  execute format('alter table audit_log attach partition audit_log_before for values from (minvalue) to (%L)',
    (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc');
end $$;
create table audit_log_default partition of audit_log default;
call protect('audit_log_default', 'organization_id = current_organization()');
revoke update, delete on audit_log_default from patchbay_app, patchbay_system;

create function ensure_audit_months(months_ahead integer) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  month timestamp;
  made text;
begin
  for month in select date_trunc('month', now() at time zone 'utc') + n * interval '1 month' from generate_series(0, least(months_ahead, 12)) n loop
    made := 'audit_log_' || to_char(month, 'YYYYMM');
    if to_regclass(made) is not null then continue; end if;
    perform pg_advisory_xact_lock(7230118443);
    if to_regclass(made) is not null then continue; end if;
    begin
      execute format('create table %I partition of audit_log for values from (%L) to (%L)', made,
        month at time zone 'utc', (month + interval '1 month') at time zone 'utc');
      call protect(made::regclass, 'organization_id = current_organization()');
      execute format('revoke update, delete on %I from patchbay_app, patchbay_system', made);
    exception
      -- The month lies in the table of what was there before, or in the default one.
      when invalid_object_definition or check_violation then null;
    end;
  end loop;
end $$;
revoke execute on function ensure_audit_months(integer) from public;
grant execute on function ensure_audit_months(integer) to patchbay_system;

-- Drops months that are over and empty.
create function drop_audit_months() returns setof text language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  made text;
  month timestamptz;
begin
  for made in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'patchbay.audit_log'::regclass and c.relname ~ '^audit_log_\d{6}$'
      and right(c.relname, 6) < to_char(now() at time zone 'utc', 'YYYYMM') order by 1
  loop
    month := to_date(right(made, 6), 'YYYYMM')::timestamp at time zone 'utc';
    if exists (select from audit_log where at >= month and at < (month at time zone 'utc' + interval '1 month') at time zone 'utc') then continue; end if;
    execute format('drop table %I', made);
    return next made;
  end loop;
end $$;
revoke execute on function drop_audit_months() from public;
grant execute on function drop_audit_months() to patchbay_system;

select ensure_audit_months(2);
