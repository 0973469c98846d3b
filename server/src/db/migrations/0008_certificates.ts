import { type Kysely, sql } from 'kysely'

/**
 * A host name may lead to several services, by path. And a certificate for each: where the name leads, what the CA said, and what the edges are to show. It goes with
 * the name, so whoever claims a released name begins anew.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_name add column redirect boolean not null default true, add column hsts boolean not null default false,
      add column redirect_to text;
    create table host_path (
      host text collate "C" not null references host_name on delete cascade, path_prefix text collate "C" not null default '',
      service text not null, port integer not null, primary key (host, path_prefix));
    insert into host_path select host, coalesce(path_prefix, ''), service, port from host_name;
    alter table host_name drop column service, drop column port, drop column path_prefix;
    comment on table host_path is 'where on a host which service begins; empty: the whole host';
    comment on column host_path.port is '0: wherever the service listens';
    comment on column host_name.redirect is 'plain HTTP is sent to https while there is a certificate';
    comment on column host_name.redirect_to is 'another name of the project: visitors are sent there';

    create table acme_account (
      id id primary key, directory_url text not null unique, key_sealed text not null, url text,
      created_at timestamptz not null default now());

    create table certificate (
      id id primary key, org_id id not null, project_id id not null references project on delete cascade,
      host text collate "C" not null unique references host_name on delete cascade,
      look_at timestamptz not null default now(), waiting_since timestamptz not null default now(),
      dns jsonb, dns_ok boolean not null default false,
      run_id id, problem jsonb, attempts integer not null default 0, next_try_at timestamptz, limited_until timestamptz,
      serial text, issuer text, chain text, pem_sealed text, not_before timestamptz, not_after timestamptz,
      issued_at timestamptz, installed text, renew_at timestamptz, asked_at timestamptz);
    create index certificate_due on certificate (look_at);
    create index certificate_by_project on certificate (project_id);
    create index certificate_in_work on certificate (run_id) where run_id is not null;
    create index certificate_ends on certificate (not_after) where not_after is not null;
    comment on column certificate.look_at is 'when to look next where the name leads and whether something is to be done';
    comment on column certificate.installed is 'the serial that the edges were seen to have';

    create table acme_order (
      id bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
      org_id id not null, host text collate "C" not null, renewal boolean not null);
    create index acme_order_by_time on acme_order (at);
    comment on table acme_order is 'what was asked of the CA in the last days: it counts, so we do';

    insert into certificate (id, org_id, project_id, host)
      select 'crt_' || substr(md5(host), 1, 26), org_id, project_id, host from host_name;
  `.execute(db)
}
