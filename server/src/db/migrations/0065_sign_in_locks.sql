-- Failed sign-ins no longer change an account: they slow down password sign-in only, for a time that ends by itself. Accounts that they
-- locked before are let in again; those that a Manager locked stay locked.
set local role patchbay_system;
update accounts a set state = 'active', modified_at = now()
where a.state = 'locked' and 'account.locked' = (
  select l.action from audit_log l
  where l.organization_id = a.organization_id and l.target = a.id::text
    and l.action in ('account.locked', 'account.stateChanged', 'account.unlocked')
  order by l.id desc limit 1);
reset role;
alter table accounts drop column failed_sign_ins;
