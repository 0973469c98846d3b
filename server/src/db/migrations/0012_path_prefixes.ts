import { type Kysely, sql } from 'kysely'

/** A slash at the end of a path means nothing: what differed in that alone was one place with two services. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from host_path p where p.path_prefix like '%/'
      and exists (select 1 from host_path o where o.host = p.host and o.path_prefix = rtrim(p.path_prefix, '/'));
    update host_path set path_prefix = rtrim(path_prefix, '/') where path_prefix like '%/';
    alter table host_path add check (path_prefix not like '%/');
  `.execute(db)
}
