-- Two connections of one workflow may break or recover in the same moment. Each transaction sees only its own change, so both could judge the
-- workflow by the other's past: they take turns at its row, and the second judges by what the first has made final.
create or replace function fault_changed() returns trigger language plpgsql as $$
begin
  perform from workflows w where w.id in (
    select workflow_id from workflow_uses
    where account_id = new.account_id and kind = 'registeredApplication' and target = new.id::text)
  order by w.id for no key update;
  perform pause_while_faulted(u.workflow_id) from (
    select workflow_id from workflow_uses
    where account_id = new.account_id and kind = 'registeredApplication' and target = new.id::text order by workflow_id
  ) u;
  return null;
end $$;
