import { roleFor } from '../access.ts'
import { type Answer, ok, unauthenticated } from '../answer.ts'
import { requireUser } from '../credentials.ts'
import { readHead, refsOf } from '../git/run.ts'
import { findRepository, fullName } from '../host.ts'
import { rateOf } from '../limits.ts'
import type { Json, Repository } from '../model.ts'
import type { Call } from '../route.ts'

type Field = { name: string; alias: string; args: Record<string, string>; fields: Field[] }

/**
 * As much of GraphQL as finds out who signed in and where hundreds of branches stand, in one request:
 * `{ a: repository(owner: "o", name: "n") { ref(qualifiedName: "refs/heads/main") { target { oid } } } … }`
 */
export async function answerGraphql(call: Call): Promise<Answer> {
  if (call.actor.kind !== 'token') throw unauthenticated()
  const variables = (call.body.variables ?? {}) as Json
  const errors: Json[] = []
  let fields: Field[]
  try {
    fields = parse(String(call.body.query ?? ''), variables)
  } catch (error) {
    return ok({ errors: [{ message: (error as Error).message }] })
  }
  const found = await Promise.all(
    fields.map(async (field) => [field.alias, await resolve(call, field, errors)] as const),
  )
  return ok({ data: Object.fromEntries(found), ...(errors.length > 0 && { errors }) })
}

async function resolve(call: Call, field: Field, errors: Json[]): Promise<unknown> {
  const { host, actor } = call
  const refuse = (type: string, message: string) => {
    errors.push({ type, path: [field.alias], message })
    return null
  }
  if (field.name === 'viewer') {
    const { login, id } = requireUser(actor)
    return pick(field, { login, databaseId: id })
  }
  if (field.name === 'rateLimit') {
    const { limit, remaining, reset } = rateOf(host, actor, 'graphql')
    return pick(field, { limit, remaining, cost: 1, resetAt: new Date(reset * 1000).toISOString() })
  }
  if (field.name !== 'repository') return refuse('undefinedField', `The lab's host does not know "${field.name}".`)
  const { owner = '', name = '' } = field.args
  const repository = findRepository(host, owner, name)
  if (!repository || roleFor(host, actor, repository) === 'none')
    return refuse('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`)
  const known = { databaseId: repository.id, nameWithOwner: fullName(repository), name: repository.name }
  const refs = field.fields.filter((one) => one.name === 'ref' || one.name === 'defaultBranchRef')
  const heads = await Promise.all(refs.map(async (one) => [one.alias, await head(repository, one)] as const))
  return { ...pick(field, known), ...Object.fromEntries(heads) }
}

async function head(repository: Repository, field: Field): Promise<unknown> {
  const wanted = field.args.qualifiedName ?? `refs/heads/${repository.defaultBranch}`
  const ref = wanted.startsWith('refs/') ? wanted : `refs/heads/${wanted}`
  const oid = (await readHead(repository, ref)) ?? (await refsOf(repository, ref)).get(ref)
  return oid ? pick(field, { name: ref.replace(/^refs\/\w+\//, ''), target: { oid } }) : null
}

const pick = ({ fields }: Field, known: Json): Json =>
  Object.fromEntries(fields.filter(({ name }) => name in known).map(({ name, alias }) => [alias, known[name]]))

const TOKEN = /[{}():]|"(?:[^"\\]|\\.)*"|\$?\w+/g

/** Fields, aliases, text arguments and variables; no fragments, no directives. */
function parse(text: string, variables: Json): Field[] {
  const body = text.slice(Math.max(0, text.indexOf('{')))
  const tokens: string[] = body.match(TOKEN) ?? []
  let at = 0
  const next = () => tokens[at++] ?? ''
  const expect = (wanted: string) => {
    const found = next()
    if (found !== wanted) throw new Error(`Parse error: expected "${wanted}", found "${found}"`)
  }
  const value = (token: string): string => {
    if (token.startsWith('"')) return JSON.parse(token)
    return token.startsWith('$') ? String(variables[token.slice(1)]) : token
  }
  const args = () => {
    const found: Record<string, string> = {}
    if (tokens[at] !== '(') return found
    for (next(); tokens[at] !== ')' && at < tokens.length; ) {
      const name = next()
      expect(':')
      found[name] = value(next())
    }
    expect(')')
    return found
  }
  const selection = (): Field[] => {
    const fields: Field[] = []
    if (tokens[at] !== '{') return fields
    for (next(); tokens[at] !== '}' && at < tokens.length; ) {
      const alias = next()
      const isAlias = tokens[at] === ':'
      if (isAlias) next()
      const name = isAlias ? next() : alias
      fields.push({ alias, name, args: args(), fields: selection() })
    }
    expect('}')
    return fields
  }
  return selection()
}
