import type { Pool } from 'pg'

/** What holds of its end are named by: it is no step. */
export const RUN = 'the run'
/** As in hold.ts, whose holds this is one of. */
const HOLDS_KEY = 4711

/** Makes the end of a promotion wait in the moment in which it is to be written. */
export async function installCloseHold(pool: Pool): Promise<void> {
  await pool.query(`
    create or replace function hold_close() returns trigger language plpgsql as $$ begin
      if exists (select 1 from held_step where name = '${RUN}') then
        perform pg_advisory_xact_lock_shared(${HOLDS_KEY});
      end if;
      return new;
    end $$;
    create or replace trigger hold_close before update on promotion for each row
      when (old.state = 'running' and new.state <> 'running') execute function hold_close();`)
}
