import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { ErrorBody } from './errors.ts'

type Json = Record<string, unknown>
type Areas = Record<string, Record<string, Endpoint>>

/** The API as OpenAPI 3.1: a pure function of the same table that the server validates with. */
export function openApiDocument(areas: Areas, version: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const [area, rows] of Object.entries(areas)) {
    for (const [name, row] of Object.entries(rows)) {
      const path = row.path.replace(/:(\w+)/g, '{$1}')
      paths[path] ??= {}
      paths[path][row.method.toLowerCase()] = operation(area, name, row, schemas)
    }
  }
  const error = schemaOf(ErrorBody, 'output', schemas)
  return {
    openapi: '3.1.0',
    info: { title: 'Slipway', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas,
      responses: {
        Refused: { description: 'Refused; branch on `code`', content: { 'application/json': { schema: error } } },
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'an access token, slp_…' },
        session: { type: 'apiKey', in: 'cookie', name: 'slipway.session_token' },
      },
    },
  }
}

function operation(area: string, name: string, row: Endpoint, schemas: Json): Json {
  const guarded = 'permission' in row.access
  const body = requestBody(row, schemas)
  return {
    operationId: `${area}.${name}`,
    tags: [area],
    summary: row.summary,
    'x-permission': 'permission' in row.access ? row.access.permission : 'public',
    security: guarded ? [{ token: [] }, { session: [] }] : [],
    parameters: [...parameters(row.params, 'path', schemas), ...parameters(row.query, 'query', schemas)],
    ...(body && { requestBody: body }),
    responses: {
      [String(row.status ?? 200)]: { description: 'Done', content: answers(row, schemas) },
      default: { $ref: '#/components/responses/Refused' },
    },
  }
}

function requestBody(row: Endpoint, schemas: Json): Json | undefined {
  if (row.body === undefined) return undefined
  const json = content(row.body, 'input', schemas, row.example)
  return {
    required: true,
    content: row.orStream ? { ...json, ...content({ stream: row.orStream }, 'input', schemas) } : json,
  }
}

function answers(row: Endpoint, schemas: Json): Json {
  const others = (row.alsoAnswers ?? []).map((stream) => content({ stream }, 'output', schemas))
  return Object.assign(content(row.response, 'output', schemas), ...others)
}

function content(body: z.ZodType | { stream: string }, io: 'input' | 'output', schemas: Json, example?: unknown): Json {
  if (!(body instanceof z.ZodType)) return { [body.stream]: { schema: { type: 'string', format: 'binary' } } }
  return { 'application/json': { schema: schemaOf(body, io, schemas), ...(example !== undefined && { example }) } }
}

function parameters(object: z.ZodObject | undefined, place: 'path' | 'query', schemas: Json): Json[] {
  if (!object) return []
  return Object.entries(object.shape).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || !(schema as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(schema as z.ZodType, 'input', schemas),
  }))
}

/** Schemas that have a name move to components and are referred to. What is sent may differ from what is answered. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json
  const suffix = io === 'input' ? 'Input' : ''
  const { $defs = {}, $schema: _, ...own } = made as { $defs?: Record<string, Json>; $schema?: string }
  for (const [name, definition] of Object.entries($defs)) schemas[name + suffix] = pointed(definition, suffix)
  return pointed(own, suffix) as Json
}

function pointed(node: unknown, suffix: string): unknown {
  if (Array.isArray(node)) return node.map((item) => pointed(item, suffix))
  if (typeof node !== 'object' || node === null) return node
  const out: Json = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === 'idPrefix' || (key === 'id' && typeof value === 'string')) continue
    out[key] =
      key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') + suffix : pointed(value, suffix)
  }
  return out
}
