import { until } from '../test-kit/until.ts'
import { over } from './parts/stack/decision.ts'
import { newStack, openGround, type Stack } from './parts/stack/ground.ts'
import { type OnEngine, onEngine } from './parts/stack/look.ts'
import { JOB, type Name, RUNNING, SERVICES, type Version } from './parts/stack/stack.ts'

export const claim = 'of a stack of six services, a deployment makes and touches only those that somebody changed'
export const kind = 'story'
export const quick = false

type Change = {
  name: string
  /** Who must have new containers, be there no more, or be there for the first time. */
  touches: Name[]
  version: Version
  before?(stack: Stack): Promise<unknown>
  /** What a visitor gets at a path of a service. */
  serves?: { service: Name; path: string; text: string }
}
type Count = { compared: number; wrong: string[] }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openGround('selective')
  try {
    const stack = await newStack(site, 'one')
    const count: Count = { compared: 0, wrong: [] }
    await deployed(stack, { version: 'v1' })
    const changes = allChanges()
    let right = 0
    for (const change of changes) {
      const wrong = await tryChange(stack, change, count)
      console.log(`  ${wrong.length === 0 ? 'right' : 'WRONG'}  ${change.name}`)
      for (const what of wrong) console.log(`         ${what}`)
      count.wrong.push(...wrong)
      if (wrong.length === 0) right++
    }
    const kinds = `the source of each of ${SERVICES.length} services, a variable, a setting of the compose file, nothing, a service less, a service more`
    const figure = `${right} of ${changes.length} changes (${kinds}) touched what they named and nothing else; ${count.compared} times a service nobody had changed kept its task, its image and its deployment; ${count.wrong.length} faults`
    return { ok: count.wrong.length === 0, figure }
  } finally {
    await site.close()
  }
}

function allChanges(): Change[] {
  const own: Partial<Record<Name, string>> = {}
  const sources = SERVICES.map((name): Change => {
    own[name] = `${name}-2`
    const serves = name === JOB ? {} : { serves: { service: name, path: '/', text: `${name} ${name}-2` } }
    return { name: `the source of ${name}`, touches: [name], version: { version: 'v1', own: { ...own } }, ...serves }
  })
  const now: Version = { version: 'v1', own }
  const line = { ...now, lines: { cache: 'environment: { SAID: from the file }' } }
  const set = { variables: [{ name: 'SAID', value: 'from a variable', service: 'api', scope: 'runtime' }] }
  const less = { ...line, only: SERVICES.filter((name) => name !== 'worker') }
  return [
    ...sources,
    {
      name: 'a variable of api',
      touches: ['api'],
      version: now,
      before: ({ site, project }) => site.ask('PUT', `/api/projects/${project}/variables`, set),
      serves: { service: 'api', path: '/said', text: 'from a variable' },
    },
    {
      name: 'a line of cache in the compose file',
      touches: ['cache'],
      version: line,
      serves: { service: 'cache', path: '/said', text: 'from the file' },
    },
    { name: 'nothing', touches: [], version: line },
    {
      name: 'without worker',
      touches: ['worker'],
      version: less,
      before: ({ site, project }) => site.ask('DELETE', `/api/projects/${project}/services/worker`),
    },
    { name: 'nothing, without worker', touches: [], version: less },
    { name: 'with worker again', touches: ['worker'], version: line },
  ]
}

async function deployed(stack: Stack, version: Version) {
  const id = await stack.deploy(version)
  const seen = await over(stack.site, id, 300)
  if (seen.status !== 'ready') throw new Error(`it is ${seen.status}: ${JSON.stringify(seen.error)}`)
  return seen
}

async function tryChange(stack: Stack, change: Change, count: Count): Promise<string[]> {
  const was = await onEngine(stack)
  await change.before?.(stack)
  const seen = await deployed(stack, change.version)
  const there = change.version.only ?? SERVICES
  const wrong: string[] = []
  let now: Record<string, OnEngine> = {}
  const ended = async () => {
    now = await onEngine(stack)
    return RUNNING.filter((name) => there.includes(name)).every((name) => now[name]?.tasks.length === 1)
  }
  await until('one task of each', 20_000, ended, { everyMs: 300 }).catch((error: Error) => wrong.push(error.message))
  const gone = Object.keys(now).filter((name) => !there.includes(name as Name))
  wrong.push(...gone.map((name) => `${name} is still there`))
  for (const name of there) {
    const touched = change.touches.includes(name)
    if (!touched) count.compared++
    wrong.push(...compared(name, touched, was[name], now[name]).map((what) => `${name} ${what}`))
    const row = seen.services.find((one) => one.name === name)
    if (!touched && row?.digest !== row?.previousDigest) wrong.push(`${name} got another image`)
  }
  return [...wrong, ...(await wrongAnswer(stack, change.serves))]
}

function compared(name: Name, touched: boolean, was: OnEngine | undefined, now: OnEngine | undefined): string[] {
  if (!now) return ['is not there']
  const same = was !== undefined && was.deployment === now.deployment && was.tasks.join() === now.tasks.join()
  if (!touched) return same && was.spec === now.spec && was.image === now.image ? [] : ['was touched']
  const anew = was?.deployment !== now.deployment && (name === JOB || !was?.tasks.some((id) => now.tasks.includes(id)))
  return anew ? [] : ['was not touched']
}

async function wrongAnswer(stack: Stack, serves: Change['serves']): Promise<string[]> {
  if (!serves) return []
  const { service, path, text } = serves
  const got = await stack.visit(service, path).catch((error: Error) => ({ status: 0, text: error.message }))
  return got.text.trim() === text ? [] : [`a visitor of ${service} got ${got.status} ${got.text.trim()}, not ${text}`]
}
