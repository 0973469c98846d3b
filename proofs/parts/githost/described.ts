import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { routes } from '../../../lab/githost/rest/routes.ts'

type Schema = Record<string, unknown>
type Content = { content?: Record<string, { schema: Schema }> }
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Schema> }>>
  webhooks: Record<string, { post: { requestBody: Content } }>
  components: Record<string, Record<string, Schema>>
}

const file = join(import.meta.dirname, '../../../lab/githost/described.json')
const { rest, hooks }: { rest: Document; hooks: Document } = JSON.parse(readFileSync(file, 'utf8'))

/** What was held against GitHub's own description, and how often. */
export const held = {
  operations: new Set<string>(),
  answers: new Set<string>(),
  /** Of the answers, those whose status the operation itself does not describe. */
  undescribed: new Set<string>(),
  events: new Set<string>(),
  times: 0,
}

/** Any operation may be refused for these reasons, described or not; the body must be the API's common error then. */
const COMMON = [301, 401, 403, 404, 409, 422]
const COMMON_ERROR = { $ref: '#/components/schemas/basic-error' }
/** There the description asks an account to be a person and an enterprise at once; the single installation has it right. */
const REPAIRED: Record<string, Schema> = {
  'GET /app/installations 200': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
}

const unnamed = (path: string) => path.replace(/\{[^}]+\}|:\w+|\*\w+/g, '{}')
const described = new Map(Object.keys(rest.paths).map((path) => [unnamed(path), path]))

/** What GitHub's description says against an answer; empty when nothing. */
export function faultsOfAnswer(method: string, path: string, status: number, body: unknown): string[] {
  const route = routes.find((one) => one.method === method && one.pattern.test(path))
  const template = route && described.get(unnamed(route.path))
  const operation = rest.paths[template ?? '']?.[method.toLowerCase()]
  if (!operation) return [`${method} ${path}: not described`]
  const key = `${method} ${template} ${status}`
  held.operations.add(`${method} ${template}`)
  held.answers.add(key)
  held.times += 1
  const response = operation.responses[status]
  if (!response) held.undescribed.add(key)
  if (!response && status === 304) return []
  if (!response && !COMMON.includes(status)) return [`${key}: the status is not described`]
  const schema = response ? resolved(response).content?.['application/json']?.schema : COMMON_ERROR
  if (!schema) return []
  return checkRest(key, REPAIRED[key] ?? schema, body).map((fault) => `${key}: ${fault}`)
}

export function faultsOfDelivery(event: string, payload: Schema): string[] {
  const { action } = payload
  const key = [event, ...(typeof action === 'string' ? [action] : [])].join('-').replaceAll('_', '-')
  const schema = hooks.webhooks[key]?.post.requestBody.content?.['application/json']?.schema
  if (!schema) return [`event ${key}: not described`]
  held.events.add(key)
  held.times += 1
  return checkHooks(`event ${key}`, schema, payload).map((fault) => `event ${key}: ${fault}`)
}

function resolved(schema: Schema): Content {
  const [, , kind = '', name = ''] = String(schema.$ref ?? '').split('/')
  return rest.components[kind]?.[name] ?? schema
}

const checkRest = createCheck(rest)
const checkHooks = createCheck(hooks)

function createCheck({ components }: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // Addresses with templates in them, such as {/sha}, are no addresses to a strict checker.
  for (const format of ['uri', 'uri-reference', 'uri-template', 'email', 'repo.nwo', 'hostname'])
    ajv.addFormat(format, true)
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
  for (const format of ['int64', 'int32']) ajv.addFormat(format, { type: 'number', validate: Number.isInteger })
  ajv.addSchema({ $id: 'doc', components: asJsonSchema(components) as Schema })
  const compiled = new Map<string, ValidateFunction>()
  return (key: string, schema: Schema, body: unknown): string[] => {
    const text = JSON.stringify(asJsonSchema(schema)).replaceAll('"#/components/', '"doc#/components/')
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(text))
    compiled.set(key, validate)
    if (validate(body)) return []
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    )
  }
}

/** OpenAPI says `nullable`, JSON Schema says it by a type; and some alternatives of the description overlap. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema)
  if (value === null || typeof value !== 'object') return value
  const { nullable, discriminator: _, oneOf, ...rest } = value as Schema
  const asIs = ['enum', 'const', 'default']
  const entries = Object.entries(rest).map(([key, one]) => [key, asIs.includes(key) ? one : asJsonSchema(one)])
  const schema = { ...Object.fromEntries(entries), ...(oneOf !== undefined && { anyOf: asJsonSchema(oneOf) }) }
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema
}
