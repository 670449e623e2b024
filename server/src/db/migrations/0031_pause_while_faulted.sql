-- Automatic runs wait while an application that they need is faulted. Whoever sets or clears a fault, or changes what a workflow uses, the
-- workflows concerned follow in the same transaction.
create function has_faulted_application(workflow uuid) returns boolean language sql stable
  return exists (
    select from workflow_uses u
    join registered_applications r on r.id = case when u.kind = 'registeredApplication' then u.target::uuid end
    where u.workflow_id = workflow and r.fault_message is not null);

-- What stopped after ten failures in a row stays stopped when a fault ends.
create function pause_while_faulted(workflow uuid) returns void language sql volatile
begin atomic
  update workflows w set is_auto_run_paused = w.auto_failures >= 10 or has_faulted_application(w.id)
  where w.id = workflow and w.state = 'deployed' and w.is_auto_run_paused is distinct from (w.auto_failures >= 10 or has_faulted_application(w.id));
end;

create function fault_changed() returns trigger language plpgsql as $$
begin
  perform pause_while_faulted(u.workflow_id) from (
    select workflow_id from workflow_uses
    where account_id = new.account_id and kind = 'registeredApplication' and target = new.id::text order by workflow_id
  ) u;
  return null;
end $$;
create trigger fault_changed after update of fault_message on registered_applications for each row
  when ((old.fault_message is null) <> (new.fault_message is null)) execute function fault_changed();

create function uses_changed() returns trigger language plpgsql as $$
begin
  perform pause_while_faulted(coalesce(new.workflow_id, old.workflow_id));
  return null;
end $$;
create trigger uses_changed after insert or delete on workflow_uses for each row execute function uses_changed();

create function deployed() returns trigger language plpgsql as $$
begin
  perform pause_while_faulted(new.id);
  return null;
end $$;
create trigger deployed after update of state on workflows for each row when (new.state = 'deployed' and old.state <> 'deployed') execute function deployed();
