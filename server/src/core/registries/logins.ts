import type { Queryable } from '../../db/database.ts'
import type { RegistryLogin } from '../../drivers/engine/registry-login.ts'
import type { BaseParts } from '../parts.ts'
import { choose, covers } from './choose.ts'
import { MOST_REGISTRIES } from './manage.ts'
import { openPassword } from './password.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'keys'> & { db: Queryable }
export type Whose = { orgId: string; projectId: string }

/** What a project signs in to registries with, as it is at this moment. */
export type ProjectLogins = {
  for(image: string): RegistryLogin | null
  /** One for each host: for images that nobody has named beforehand. */
  ofHosts(): RegistryLogin[]
  /**
   * A credential of another project covers the image. That it lies on the server means nothing then: whether this project may
   * have it is for the registry to say.
   */
  isOthers(image: string): boolean
  /** Other projects of the organization have credentials of their own. */
  hasOthers: boolean
  /** What must not be seen anywhere: the passwords, and what they are sent as. */
  secrets(): string[]
}

export async function loginsOf(parts: Parts, { orgId, projectId }: Whose): Promise<ProjectLogins> {
  const all = await store.allOf(parts.db, orgId, MOST_REGISTRIES)
  const own = all.filter((row) => row.projectId === null || row.projectId === projectId)
  const others = all.filter((row) => !own.includes(row))
  const open = (row: store.RegistryRow): RegistryLogin => ({
    host: row.host,
    username: row.username,
    password: openPassword(parts, row),
  })
  return {
    for(image) {
      const row = choose(own, image)
      return row && open(row)
    },
    ofHosts() {
      const whole = own.filter(({ path }) => path === null)
      const hosts = [...new Set(whole.map(({ host }) => host))]
      return hosts.flatMap((host) => choose(whole, `${host}/any`) ?? []).map(open)
    },
    isOthers: (image) => others.some((row) => covers(row, image)),
    hasOthers: others.length > 0,
    secrets: () => own.map(open).flatMap(({ username, password }) => [password, encoded(username, password)]),
  }
}

/** As HTTP and an engine's configuration write it. */
const encoded = (username: string, password: string) => Buffer.from(`${username}:${password}`).toString('base64')
