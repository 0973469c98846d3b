import type { Endpoint } from '@slipway/contract/endpoint'
import type { IdPrefix } from '@slipway/contract/ids'
import { z } from 'zod'
import { newId } from '../src/db/ids.ts'
import type { Org, World } from './harness.ts'

/** How to make, and then unmake, one thing of a kind in an organization. A kind of id without one fails the matrix. */
type Factory = { make(org: Org): Promise<string>; unmake?(org: Org, id: string): Promise<unknown> }

type Made = { id?: string; token?: Made; invitation?: Made; uploadSessionId?: string }

export const factories = (world: World): Partial<Record<IdPrefix, Factory>> => {
  let n = 0
  const through = (path: string, body: () => unknown, idIn: (answer: Made) => string): Factory => ({
    async make(org) {
      const answer = await org.owner.api('POST', path, body())
      if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
      return idIn(answer.body)
    },
    unmake: (org, id) => org.owner.api('DELETE', `${path}/${id}`),
  })
  const own = (made: Made | undefined) => String(made?.id)
  const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  return {
    prj: through('/api/projects', () => ({ name: `matrix ${++n}` }), own),
    srv: through('/api/servers', () => ({ kind: 'ssh', name: `matrix ${++n}`, host: '192.0.2.1' }), own),
    tok: through(
      '/api/tokens',
      () => ({ name: 'matrix' }),
      (answer) => own(answer.token),
    ),
    inv: through(
      '/api/members/invitations',
      () => ({ email: `matrix${++n}@example.com`, role: 'viewer' }),
      (answer) => own(answer.invitation),
    ),
    upl: {
      ...through(
        '/api/projects/folder-sessions',
        () => ({ files: [{ path: 'a', sha256, size: 0 }] }),
        (answer) => String(answer.uploadSessionId),
      ),
      unmake: (_, id) => world.platform.db.deleteFrom('folderSession').where('id', '=', id).execute(),
    },
    dst: {
      make: async (org) => {
        const server = { kind: 'ssh', name: `matrix ${++n}`, host: '192.0.2.1' }
        const { id: serverId } = (await org.owner.api('POST', '/api/servers', server)).body
        const body = { kind: 'platform_server', name: `matrix ${++n}`, serverId }
        return (await org.owner.api('POST', '/api/backup-destinations', body)).body.id
      },
      unmake: (org, id) => org.owner.api('DELETE', `/api/backup-destinations/${id}`),
    },
    dep: {
      make: async (org) => {
        const { orgId, userId } = org.owner
        const project = (await org.owner.api('POST', '/api/projects', { name: `matrix ${++n}` })).body
        const server = (
          await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: `matrix ${++n}`, host: '192.0.2.1' })
        ).body
        const id = newId('dep')
        await world.platform.db
          .insertInto('deployment')
          .values({
            id,
            orgId,
            projectId: project.id,
            serverId: server.id,
            number: 1,
            status: 'failed',
            decision: null,
            trigger: 'manual',
            source: JSON.stringify({ kind: 'image', image: 'x' }),
            request: JSON.stringify({ buildStrategy: 'auto' }),
            branch: null,
            release: null,
            createdBy: JSON.stringify({ kind: 'user', name: userId }),
          })
          .execute()
        return id
      },
      unmake: (org, id) => org.owner.api('DELETE', `/api/deployments/${id}`),
    },
    usr: {
      make: async (org) => (await world.person(org.id, 'developer')).userId,
      unmake: (org, id) => org.owner.api('DELETE', `/api/members/${id}`),
    },
    ses: {
      make: async (org) => {
        const id = newId('ses')
        const expiresAt = new Date(Date.now() + 3600_000)
        await world.platform.db
          .insertInto('session')
          .values({ id, token: id, userId: org.owner.userId, expiresAt })
          .execute()
        return id
      },
      unmake: (_, id) => world.platform.db.deleteFrom('session').where('id', '=', id).execute(),
    },
    org: {
      make: async () => (await world.org('elsewhere')).id,
      unmake: (_, id) => world.platform.db.deleteFrom('organization').where('id', '=', id).execute(),
    },
  }
}

/** A place in a request that holds an id, and of what kind. */
type IdPlace = { part: 'params' | 'query' | 'body'; name: string; prefix: IdPrefix }

export function idPlaces(endpoint: Endpoint): IdPlace[] {
  const bodies = endpoint.body instanceof z.ZodType ? shapesOf(endpoint.body) : []
  const parts = [
    ['params', endpoint.params?.shape],
    ['query', endpoint.query?.shape],
    ...bodies.map((shape) => ['body', shape] as const),
  ] as const
  const places = parts.flatMap(([part, shape]) =>
    Object.entries(shape ?? {}).flatMap(([name, schema]) => {
      const prefix = prefixOf(schema as z.ZodType)
      return prefix ? [{ part, name, prefix } as IdPlace] : []
    }),
  )
  return [...new Map(places.map((place) => [`${place.part}.${place.name}`, place])).values()]
}

/** The objects a body may be, through refinements, unions and defaults. */
function shapesOf(schema: z.ZodType): Record<string, z.ZodType>[] {
  if (schema instanceof z.ZodObject) return [schema.shape as Record<string, z.ZodType>]
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => shapesOf(option as z.ZodType))
  return []
}

function prefixOf(schema: z.ZodType): IdPrefix | undefined {
  const meta = schema.meta() as { idPrefix?: IdPrefix } | undefined
  if (meta?.idPrefix) return meta.idPrefix
  const wrapped = schema as unknown as { unwrap?: () => z.ZodType; def?: { innerType?: z.ZodType } }
  const inner = wrapped.def?.innerType
  return inner ? prefixOf(inner) : undefined
}

/** The request that the docs show, with an id that does not exist in every place that takes one. */
export function exampleRequest(endpoint: Endpoint, ids: Record<string, string> = {}) {
  const idFor = (place: IdPlace) => ids[`${place.part}.${place.name}`] ?? `${place.prefix}_${'0'.repeat(26)}`
  const places = idPlaces(endpoint)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => {
    const place = places.find((candidate) => candidate.part === 'params' && candidate.name === name)
    return place ? idFor(place) : exampleOf(endpoint, name)
  })
  const query = places.filter((place) => place.part === 'query' && `query.${place.name}` in ids)
  const search = query.map((place) => `${place.name}=${idFor(place)}`).join('&')
  const body = endpoint.body instanceof z.ZodType ? { ...(endpoint.example as object) } : undefined
  for (const place of places) {
    if (place.part === 'body' && `body.${place.name}` in ids) Object.assign(body ?? {}, { [place.name]: idFor(place) })
  }
  const stream = endpoint.body !== undefined && !(endpoint.body instanceof z.ZodType) ? endpoint.body.stream : undefined
  return {
    url: search ? `${path}?${search}` : path,
    body: stream ? Buffer.alloc(0) : body,
    headers: stream ? { 'content-type': stream } : {},
  }
}

function exampleOf(endpoint: Endpoint, name: string): string {
  const example = (endpoint.params?.shape[name] as z.ZodType | undefined)?.meta()?.example
  if (typeof example === 'string') return example
  throw new Error(`${endpoint.method} ${endpoint.path}: the parameter ${name} has no example`)
}
