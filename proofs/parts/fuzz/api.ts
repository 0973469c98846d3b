import fc from 'fast-check'
import { ZodType } from 'zod'
import { type Field, type Ids, schemaOf, textFields } from './fields.ts'
import { type Reply, requestWith, type Sender, send, sendHeader } from './send.ts'
import { lookFor } from './shown.ts'
import { oneOfEach, texts } from './values.ts'

export type Tally = {
  fields: number
  sent: number
  accepted: number
  refused: number
  slowestMs: number
  faults: string[]
}

type Options = { at: Sender; ids: Ids; canary: string; runs: number; seed: number }

/** Sends every field of the API hostile and random text: taken and shown again as it was, or refused by name. */
export async function fuzzApi(options: Options): Promise<Tally> {
  const tally: Tally = { fields: 0, sent: 0, accepted: 0, refused: 0, slowestMs: 0, faults: [] }
  for (const field of textFields()) {
    const look = lookFor(field)
    tally.fields++
    const values = texts(field.schema, options.canary)
    // Without its id an address is another one.
    const fit = field.place === 'params' ? values.filter((value) => value !== '') : values
    await check(tally, field.title, fit, options, async (value) => {
      const { path, body } = requestWith(field, value, options.ids)
      const reply = await send(options.at, field.endpoint.method, path, body)
      count(tally, reply)
      if (reply.status < 300) return look({ ...options, field, value, reply })
      return refusedByName(field, value, options.ids, reply)
    })
  }
  for (const header of headers(options.ids)) {
    tally.fields++
    await check(tally, `header ${header.name}`, texts({ type: 'string' }, options.canary), options, async (value) => {
      const reply = await sendHeader(options.at, { ...header, value })
      count(tally, reply)
      return reply.status >= 200 && reply.status < 500 ? undefined : `answered ${reply.status}`
    })
  }
  return tally
}

const headers = (ids: Ids) => [
  { method: 'GET', path: `/api/deployments/${ids.over}/stream`, name: 'Last-Event-ID' },
  { method: 'POST', path: `/api/deployments/${ids.dep}/pin`, name: 'Idempotency-Key' },
  { method: 'PATCH', path: `/api/projects/${ids.prj}`, name: 'If-Match' },
  { method: 'GET', path: `/api/deployments/${ids.dep}`, name: 'X-Request-Id' },
  { method: 'GET', path: `/api/deployments/${ids.dep}`, name: 'Accept' },
]

function count(tally: Tally, { status, ms }: Reply): void {
  tally.sent++
  tally.slowestMs = Math.max(tally.slowestMs, ms)
  if (status < 300) tally.accepted++
  else if (status < 500) tally.refused++
}

/** Runs a property and keeps its smallest counterexample. */
async function check(
  tally: Tally,
  title: string,
  values: fc.Arbitrary<string>,
  { canary, runs, seed }: Options,
  faultOf: (value: string) => Promise<string | undefined>,
): Promise<void> {
  const property = fc.asyncProperty(values, async (value) => {
    const fault = await faultOf(value)
    if (fault !== undefined) throw new Error(fault)
  })
  const examples: [string][] = oneOfEach(canary).map((value) => [value])
  const found = await fc.check(property, {
    numRuns: examples.length + runs,
    seed,
    examples,
    interruptAfterTimeLimit: 60_000,
  })
  if (!found.failed || found.counterexample === null) return
  const [value] = found.counterexample
  const why = found.errorInstance instanceof Error ? found.errorInstance.message : String(found.errorInstance)
  tally.faults.push(`${title} = ${JSON.stringify(value.slice(0, 120))} (${value.length}): ${why}`)
}

/** Whatever the value: what it would be about is not there, not now, not connected, or nobody vouches for it. */
const SAYS_ENOUGH = [
  ...['not_found', 'not_now', 'conflict', 'engine_taken', 'signature_invalid', 'registry_unreachable'],
  ...['githost_not_connected', 'no_installation', 'server_unreachable'],
  ...['session_required', 'expired_token'],
]

/** The "no" says what is wrong with what; an id, a path of an address or a name that does not exist may just be missing. */
function refusedByName(field: Field, value: string, ids: Ids, { status, body, text }: Reply): string | undefined {
  if (SAYS_ENOUGH.includes(body?.code)) return undefined
  if (status >= 500 || status === 0) return `answered ${status} ${text.slice(0, 200)}`
  // The HTTP parser's own "no" to an address that is too long.
  if (status === 431 || (field.place === 'params' && status === 404)) return undefined
  if (typeof body?.error !== 'string' || typeof body.code !== 'string')
    return `refused without words: ${text.slice(0, 200)}`
  const names = field.hops.flatMap((hop) => (typeof hop === 'object' && 'key' in hop ? [hop.key] : []))
  // The JSON parser names a key that it does not take.
  if (value === '__proto__' && body.error.includes(value)) return undefined
  // What fits may lack something beside it, which is then what is named.
  const beside = Object.keys(schemaOf(field.endpoint, field.place)?.properties ?? {})
  if (fits(field, value, ids) && beside.includes(body.field)) return undefined
  const said = `${body.field ?? ''} ${body.error}`.toLowerCase()
  return names.some((name) => said.includes(name.toLowerCase()))
    ? undefined
    : `refused without its name: ${text.slice(0, 300)}`
}

const fits = (field: Field, value: string, ids: Ids) =>
  field.endpoint.body instanceof ZodType && field.endpoint.body.safeParse(requestWith(field, value, ids).body).success
