-- What a search term is looked for in. Making lower case of a hundred thousand texts at every search would take most of its time.
alter table workflows add column search_text text generated always as (lower(name || ' ' || description)) stored;
