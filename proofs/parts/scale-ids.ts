import type { Endpoint } from '@slipway/contract/endpoint'
import type { IdPrefix } from '@slipway/contract/ids'
import { idPlaces } from '../../server/test/matrix/places.ts'
import type { TestDatabase } from '../../test-kit/database.ts'

/** By place, such as `params.id`. */
type Ids = Record<string, string>

/** Where the rows of each kind of id lie. */
const SOURCES: Partial<Record<IdPrefix, string>> = {
  org: 'select id from organization where id = $1',
  usr: 'select user_id as id from member where org_id = $1',
  inv: 'select id from invitation where accepted_at is null and org_id = $1',
  tok: 'select id from token where org_id = $1',
  ses: 'select s.id from session s join member m on m.user_id = s.user_id where m.org_id = $1',
  aud: 'select id from audit where org_id = $1',
  prj: 'select id from project where org_id = $1',
  srv: 'select id from server where org_id = $1',
  upl: 'select id from folder_session where org_id = $1',
  dep: 'select id from deployment where org_id = $1',
  dst: 'select id from backup_destination where org_id = $1',
  reg: 'select id from registry where org_id = $1',
  ghd: 'select id from githost_delivery where org_id = $1',
  gnt: 'select id from mount_grant where org_id = $1',
  lnk: 'select id from instance_link where org_id = $1',
}

/** Ids for every place of a request that takes one: the organization's newest rows, and its oldest, which has most. */
export async function existing({ pool }: TestDatabase, orgId: string, endpoint: Endpoint): Promise<Ids[]> {
  const places = idPlaces(endpoint)
  const found = await Promise.all(
    places.map(async ({ prefix }) => {
      const source = SOURCES[prefix]
      if (!source) throw new Error(`${endpoint.path} takes a ${prefix}_ id: say in scale-ids.ts where its rows lie`)
      const ids = await pool.query<{ id: string }>(
        `(select id from (${source}) as all_of order by id desc limit 4)
         union all (select id from (${source}) as all_of order by id limit 1)`,
        [orgId],
      )
      return ids.rows.map((row) => row.id)
    }),
  )
  const count = Math.max(1, ...found.map((ids) => ids.length))
  return Array.from({ length: count }, (_, n) =>
    Object.fromEntries(
      places.flatMap(({ part, name }, i) => {
        const id = found[i]?.[n % (found[i]?.length ?? 1)]
        return id === undefined ? [] : [[`${part}.${name}`, id]]
      }),
    ),
  )
}
