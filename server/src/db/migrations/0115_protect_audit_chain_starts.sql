-- Every table that belongs to an organization is behind the second wall, also this one, which only the service itself reads.
call protect('audit_chain_starts', 'organization_id = current_organization()');
revoke all on audit_chain_starts from patchbay_app;
revoke delete on audit_chain_starts from patchbay_system;
