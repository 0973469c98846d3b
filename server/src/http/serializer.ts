import stringifier from 'fast-json-stringify'
import { type ZodType, z } from 'zod'

type Schema = { [key: string]: unknown }

/** Writes exactly the fields of the schema: what a handler returns beyond it never leaves the process. */
export function serializer(schema: ZodType): (value: unknown) => string {
  const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'output', unrepresentable: 'any' }) as Schema
  const definitions = (json.definitions ?? json.$defs ?? {}) as Record<string, Schema>
  return stringifier(plain(json, definitions) as never)
}

/**
 * Written out without references, and "this or null" as a nullable type: in the general form the stringifier would
 * validate each value to find the branch.
 */
function plain(node: unknown, definitions: Record<string, Schema>): unknown {
  if (Array.isArray(node)) return node.map((item) => plain(item, definitions))
  if (typeof node !== 'object' || node === null) return node
  const schema = node as Schema
  if (typeof schema.$ref === 'string') return plain(definitions[schema.$ref.split('/').pop() ?? ''], definitions)
  const branches = schema.anyOf as Schema[] | undefined
  if (branches?.length === 2 && branches[1]?.type === 'null') {
    return { ...(plain(branches[0], definitions) as Schema), nullable: true }
  }
  const out: Schema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(key)) continue
    out[key] = key === 'properties' ? properties(value as Schema, definitions) : plain(value, definitions)
  }
  return out
}

const properties = (value: Schema, definitions: Record<string, Schema>) =>
  Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, plain(schema, definitions)]))

/** Of no use to a writer, and `id` would be taken for an address. */
const ANNOTATIONS = new Set([
  '$schema',
  '$defs',
  'definitions',
  'id',
  'idPrefix',
  'example',
  'description',
  'pattern',
  'format',
  'default',
])
