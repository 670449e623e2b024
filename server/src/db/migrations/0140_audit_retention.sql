-- older processes: may stay
-- The service itself may not delete from the audit log. What is older than it has to be kept for is removed by this function alone: only from
-- the beginning of a chain, never what is younger than a year, and the hash of the last row that went stays as the start of the rest.
-- The wall between organizations holds for the owner of the tables too, in whose name the function works.
create policy retention on audit_log to current_user using (true);
create policy retention on audit_chain to current_user using (true);
create policy retention on audit_chain_starts to current_user using (true) with check (true);

create function forget_audit(organization uuid, before timestamptz, rows_max integer) returns integer
language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  last_position bigint;
  last_hash bytea;
  removed bigint[];
begin
  if before > now() - interval '1 year' then
    raise exception 'The audit log of the last year cannot be removed.';
  end if;
  with oldest as (
    select c.position, c.audit_id, c.hash, a.at from audit_chain c left join audit_log a on a.id = c.audit_id
    where c.organization_id = organization order by c.position limit rows_max
  ), judged as (
    -- Up to the first row that is kept; a row that is missing is for verify-audit to find.
    select *, bool_and(at is not null and at < before) over (order by position) as goes from oldest
  )
  select max(position), array_agg(audit_id), (array_agg(hash order by position desc))[1] into last_position, removed, last_hash
  from judged where goes;
  if last_position is null then
    return 0;
  end if;
  insert into audit_chain_starts (organization_id, hash) values (organization, last_hash)
    on conflict (organization_id) do update set hash = excluded.hash;
  delete from audit_chain where organization_id = organization and position <= last_position;
  delete from audit_log where id = any(removed);
  return cardinality(removed);
end $$;
revoke all on function forget_audit from public;
grant execute on function forget_audit to patchbay_system;
