import type pg from 'pg'

/** The service makes days ahead only; a filled history needs those behind it too. */
export async function ensureDaysBack(owner: pg.Client, days: number): Promise<void> {
  for (let day = 0; day < days; day++)
    await owner.query(`
      do $$ declare d date := (now() at time zone 'utc')::date - ${day}; parent text; begin
        if to_regclass('runs_' || to_char(d, 'YYYYMMDD')) is null then
          foreach parent in array array['runs', 'run_blocks', 'run_writes'] loop
            execute format('create table %I partition of %I for values from (%L) to (%L)',
              parent || '_' || to_char(d, 'YYYYMMDD'), parent, first_run_id(d), first_run_id(d + 1));
            execute format('call protect(%L, %L)', parent || '_' || to_char(d, 'YYYYMMDD'), 'account_id = current_account()');
          end loop;
        end if;
      end $$`)
}
