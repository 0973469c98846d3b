import type { Endpoint } from '@slipway/contract/endpoint'
import { endpoints } from '@slipway/contract/endpoints'
import { ZodType, z } from 'zod'

/** A step from a value to one inside it: a key, an item of a list, a value or a key of a record, a variant of a union. */
type Hop = { key: string } | 'item' | 'value' | 'name' | { variant: number }

/** A place of the API where a caller may write text. */
export type Field = {
  /** Such as `deployments.buildAccess body.services[].healthcheck.path`. */
  title: string
  endpoint: Endpoint
  place: 'params' | 'query' | 'body'
  hops: Hop[]
  schema: Schema
}

export type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  minItems?: number
  idPrefix?: string
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  $ref?: string
  $defs?: Record<string, Schema>
}

/** Whether an area is fuzzed: what programs deploy with. People sign in elsewhere, by parts that are not ours. */
const FUZZED: Record<keyof typeof endpoints, boolean> = {
  operations: false,
  auth: false,
  cliLogin: true,
  me: false,
  tokens: false,
  links: false,
  cloudLink: false,
  relay: false,
  members: false,
  audit: false,
  limits: false,
  projects: true,
  promotion: false,
  services: true,
  variables: true,
  domains: true,
  folderSessions: true,
  servers: true,
  deployments: true,
  backupDestinations: true,
  registries: true,
  githost: true,
  githostSettings: true,
  githostDeliveries: true,
  githostBroker: false,
  migration: true,
}
const areas = Object.keys(FUZZED) as (keyof typeof endpoints)[]

/** Every text that a caller can send to these areas, read from the contract itself: a new field is found by itself. */
export function textFields(): Field[] {
  return areas
    .filter((area) => FUZZED[area])
    .flatMap((area) =>
      Object.entries(endpoints[area] as Record<string, Endpoint>).flatMap(([name, endpoint]) =>
        (['params', 'query', 'body'] as const).flatMap((place) => {
          const schema = schemaOf(endpoint, place)
          if (schema === undefined) return []
          return textsIn(schema, { hops: [], onWire: place !== 'body' }).map(({ hops, schema }) => ({
            title: `${area}.${name} ${place}${hops.map(wordOf).join('')}`,
            endpoint,
            place,
            hops,
            schema,
          }))
        }),
      ),
    )
}

/** What may be sent there; undefined where nothing is taken, or a stream. */
export function schemaOf(endpoint: Endpoint, place: Field['place']): Schema | undefined {
  const schema = endpoint[place]
  if (!(schema instanceof ZodType)) return undefined
  return z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' }) as Schema
}

/** Schemas with a name are kept once and referred to. */
const resolved = (schema: Schema, root: Schema): Schema =>
  schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {})

/** What a value may be instead. Beside properties they only say which of these must be there. */
const variantsOf = (schema: Schema) => (schema.properties ? undefined : (schema.anyOf ?? schema.oneOf))

/** `onWire`: in an address everything is text, numbers too. */
type Way = { hops: Hop[]; onWire: boolean }

function textsIn(given: Schema, way: Way, root = given): { hops: Hop[]; schema: Schema }[] {
  const schema = resolved(given, root)
  const { hops, onWire } = way
  const below = (inner: Schema | undefined, hop: Hop) =>
    inner ? textsIn(inner, { hops: [...hops, hop], onWire }, root) : []
  const variants = variantsOf(schema)
  if (variants) return variants.flatMap((variant, n) => below(variant, { variant: n }))
  if (schema.type === 'string' || (onWire && schema.type !== 'object')) return [{ hops, schema }]
  if (schema.type === 'array') return below(schema.items, 'item')
  const record = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => below(inner, { key })),
    ...(record ? [...below(record, 'value'), ...below(schema.propertyNames, 'name')] : []),
  ]
}

function wordOf(hop: Hop): string {
  if (hop === 'item') return '[]'
  if (hop === 'value') return '{}'
  if (hop === 'name') return '{name}'
  return 'key' in hop ? `.${hop.key}` : ''
}

/** Ids of things that exist, by their prefix. */
export type Ids = Record<string, string>

/** The smallest value that fits a schema, with `value` at the end of `hops`. */
export function fitting(given: Schema, hops: Hop[], value: unknown, ids: Ids, root = given): unknown {
  const schema = resolved(given, root)
  const [hop, ...rest] = hops
  const inner = (of: Schema | undefined, further = rest) => fitting(of ?? {}, further, value, ids, root)
  if (hop === undefined) return value
  if (hop === 'item') return [inner(schema.items)]
  if (hop === 'value') return { [nameFor(schema.propertyNames)]: inner(record(schema)) }
  if (hop === 'name') return { [String(inner(schema.propertyNames))]: least(record(schema), ids, root) }
  if ('variant' in hop) return inner((schema.anyOf ?? schema.oneOf)?.[hop.variant])
  return { ...(least(schema, ids, root) as object), [hop.key]: inner(schema.properties?.[hop.key]) }
}

const record = (schema: Schema) =>
  typeof schema.additionalProperties === 'object' ? schema.additionalProperties : ({ type: 'string' } satisfies Schema)
const nameFor = (names: Schema | undefined) => String(names?.example ?? 'NAME')

let made = 0

/** The smallest value that fits a schema. */
export function least(given: Schema, ids: Ids, root = given): unknown {
  const schema = resolved(given, root)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.idPrefix !== undefined && ids[schema.idPrefix] !== undefined) return ids[schema.idPrefix]
  if (schema.example !== undefined) return schema.example
  const variants = variantsOf(schema)
  if (variants?.[0]) return least(variants[0], ids, root)
  // Another one each time: names must not be taken already.
  if (schema.type === 'string') return `a${++made}`.padEnd(schema.minLength ?? 0, 'a')
  if (schema.type === 'array') return schema.minItems && schema.items ? [least(schema.items, ids, root)] : []
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 1, 0)
  if (schema.type === 'boolean') return true
  // Of an object that needs one of several fields, the first one.
  const either = schema.properties ? (schema.anyOf?.[0]?.required ?? []) : []
  const needed = [...(schema.required ?? []), ...either].map((key) => [
    key,
    least(schema.properties?.[key] ?? {}, ids, root),
  ])
  return Object.fromEntries(needed)
}
