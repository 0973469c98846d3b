import type { Endpoint } from '@slipway/contract/endpoint'
import type { IdPrefix } from '@slipway/contract/ids'
import { z } from 'zod'

export type Part = 'params' | 'query' | 'body'
/** A place in a request that holds an id, and of what kind. `name` is its path: `serverId`, `entries.0.projectId`. */
type IdPlace = { part: Part; name: string; prefix: IdPrefix }

/** Every place of a request that takes an id, however deep it lies: in lists, unions, records and what is optional. */
export function idPlaces(endpoint: Endpoint): IdPlace[] {
  const parts = [
    ['params', endpoint.params],
    ['query', endpoint.query],
    ['body', endpoint.body instanceof z.ZodType ? endpoint.body : undefined],
  ] as const
  const places = parts.flatMap(([part, schema]) =>
    schema === undefined ? [] : within(schema, []).map(({ path, prefix }) => ({ part, name: path.join('.'), prefix })),
  )
  return [...new Map(places.map((place) => [`${place.part}.${place.name}`, place])).values()]
}

type Found = { path: string[]; prefix: IdPrefix }

function within(schema: z.ZodType, path: string[]): Found[] {
  const prefix = (schema.meta() as { idPrefix?: IdPrefix } | undefined)?.idPrefix
  if (prefix) return [{ path, prefix }]
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, inner]) => within(inner as z.ZodType, [...path, name]))
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => within(option as z.ZodType, path))
  if (schema instanceof z.ZodArray) return within(schema.element as z.ZodType, [...path, '0'])
  if (schema instanceof z.ZodRecord) return within(schema.valueType as z.ZodType, [...path, 'a-key'])
  const { innerType, in: input } = schema.def as { innerType?: z.ZodType; in?: z.ZodType }
  if (innerType) return within(innerType, path)
  return input ? within(input, path) : []
}

/** By place, such as `params.id` or `body.entries.0.projectId`. */
export type Values = Record<string, string>

/** The request that the docs show, with these values; in its path, where none is given, ids that do not exist. */
export function exampleRequest(endpoint: Endpoint, values: Values = {}, more: object = {}) {
  const places = idPlaces(endpoint)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => {
    const place = places.find((one) => one.part === 'params' && one.name === name)
    return values[`params.${name}`] ?? (place ? unknownId(place.prefix) : exampleOf(endpoint, name))
  })
  const of = (part: Part) =>
    Object.entries(values).flatMap(([place, value]) =>
      place.startsWith(`${part}.`) ? [[place.slice(part.length + 1), value] as const] : [],
    )
  const search = new URLSearchParams(Object.fromEntries(of('query'))).toString()
  const stream = endpoint.body !== undefined && !(endpoint.body instanceof z.ZodType) ? endpoint.body.stream : undefined
  return {
    url: search ? `${path}?${search}` : path,
    body: stream ? Buffer.alloc(0) : bodyOf(endpoint, of('body'), more),
    headers: stream ? { 'content-type': stream } : {},
  }
}

export const unknownId = (prefix: string) => `${prefix}_${'0'.repeat(26)}`

function bodyOf(endpoint: Endpoint, values: (readonly [string, string])[], more: object): object | undefined {
  if (!(endpoint.body instanceof z.ZodType)) return undefined
  const body = structuredClone({ ...(endpoint.example as object), ...more })
  for (const [name, value] of values) put(body, name.split('.'), value)
  return body
}

function put(into: object, [name = '', ...rest]: string[], value: string): void {
  const holder = into as Record<string, object>
  if (rest.length === 0) return void Object.assign(into, { [name]: value })
  holder[name] ??= rest[0] === '0' ? [] : {}
  put(holder[name], rest, value)
}

function exampleOf(endpoint: Endpoint, name: string): string {
  const example = (endpoint.params?.shape[name] as z.ZodType | undefined)?.meta()?.example
  if (typeof example === 'string') return example
  throw new Error(`${endpoint.method} ${endpoint.path}: the parameter ${name} has no example`)
}
