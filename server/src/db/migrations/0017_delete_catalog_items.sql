-- An organization may delete an item of its own as a whole, with everything that was ever published of it. Which one, its transaction names
-- first: no statement that was meant for a draft takes a published revision along.
drop policy published_remains on catalog_items;
create policy published_remains on catalog_items as restrictive for delete to patchbay_app, patchbay_system
  using (revision = 0 or id::text = current_setting('patchbay.deleted_item', true));
