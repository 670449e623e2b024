-- json and not jsonb: values of variables are JSON that people wrote, and its keys keep their order.
alter table workflow_revisions alter column definition type json using definition::json;
alter table workflows alter column applications drop default;
alter table workflows alter column applications type json using applications::json;
alter table workflows alter column applications set default '{}';
