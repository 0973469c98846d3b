import type { Pool } from 'pg'
import { until } from '../../../test-kit/until.ts'

/** Of this proof, in a database of its own. */
const KEY = 4711

/** Makes a step of a run wait in the moment in which its start or its end is to be written: nothing of the product knows. */
export async function installHolds(pool: Pool): Promise<void> {
  await pool.query(`
    create table if not exists held_step (name text not null, moment text not null);
    create or replace function hold_step() returns trigger language plpgsql as $$ begin
      if exists (select 1 from held_step where name = new.name and moment = tg_argv[0]) then
        perform pg_advisory_xact_lock_shared(${KEY});
      end if;
      return new;
    end $$;
    create or replace trigger hold_start before insert on run_step for each row execute function hold_step('start');
    create or replace trigger hold_end before update on run_step for each row
      when (old.ended_at is null and new.ended_at is not null) execute function hold_step('end');`)
}

export type Hold = {
  /** Resolves when a process waits to write what is held. */
  met(): Promise<void>
  /** Whoever waits is gone, or goes on; nobody waits from here on. */
  release(): Promise<void>
}

export async function hold(pool: Pool, name: string, moment: 'start' | 'end'): Promise<Hold> {
  const client = await pool.connect()
  await client.query('select pg_advisory_lock($1)', [KEY])
  await pool.query('insert into held_step (name, moment) values ($1, $2)', [name, moment])
  const waiting = async () => {
    const query = `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted
      and database = (select oid from pg_database where datname = current_database())`
    return (await pool.query<{ pid: number }>(query, [KEY])).rows.map(({ pid }) => pid)
  }
  return {
    async met() {
      await until(`${name} is at its ${moment}`, 120_000, async () => (await waiting()).length > 0)
    },
    async release() {
      await pool.query('delete from held_step')
      // A dead client's session does not see that it has nobody to work for while it waits.
      for (const pid of await waiting()) await pool.query('select pg_terminate_backend($1)', [pid])
      await client.query('select pg_advisory_unlock($1)', [KEY])
      client.release()
    },
  }
}
