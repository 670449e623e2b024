-- older processes: may stay
-- A move that is over because the organization stays or has come back. Its note is kept for a minute: whoever was refused by what a process
-- remembered of the move, or looked up before it was settled, is told to try again and not that nobody knows them.
alter table organization_moves add column settled_at timestamptz;
