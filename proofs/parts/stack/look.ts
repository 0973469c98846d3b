import type { Deployment } from '@slipway/contract/deployment-shape'
import { engineAt } from '../../../test-kit/engine.ts'
import { until } from '../../../test-kit/until.ts'
import type { Stack } from './ground.ts'
import type { Expected, World } from './model.ts'
import { JOB, type Name, RUNNING, SERVICES } from './stack.ts'

/** A service as its engine has it. */
export type OnEngine = {
  deployment: string
  /** As its release calls it, and as the engine was told to find it. */
  image: string
  reference: string
  /** Tasks that run and shall. */
  tasks: string[]
  /** All of its spec but what counts restarts. */
  spec: string
}
type Spec = {
  Labels: Record<string, string>
  TaskTemplate: { ForceUpdate?: number; ContainerSpec: { Image: string; Labels?: Record<string, string> } }
  Mode: unknown
  EndpointSpec: unknown
}
type Task = { ID: string; ServiceID: string; DesiredState: string; Status: { State: string } }

/** What the engine has of a project, by service. */
export async function onEngine({ site, project }: Pick<Stack, 'site' | 'project'>): Promise<Record<string, OnEngine>> {
  const docker = engineAt(site.engine.socket)
  const filters = { label: [`slipway.project=${project}`, 'slipway.service'] }
  const services = (await docker.listServices({ filters })) as unknown as { ID: string; Spec: Spec }[]
  const tasks = (await docker.listTasks({ filters })) as Task[]
  const serving = (id: string) =>
    tasks.filter((one) => one.ServiceID === id && one.DesiredState === 'running' && one.Status.State === 'running')
  return Object.fromEntries(
    services.map(({ ID, Spec: { Labels, TaskTemplate, Mode, EndpointSpec } }) => [
      Labels['slipway.service'] ?? '',
      {
        deployment: TaskTemplate.ContainerSpec.Labels?.['slipway.deployment'] ?? '',
        image: TaskTemplate.ContainerSpec.Labels?.['slipway.image'] ?? TaskTemplate.ContainerSpec.Image,
        reference: TaskTemplate.ContainerSpec.Image,
        tasks: serving(ID).map((one) => one.ID),
        spec: JSON.stringify([Labels, { ...TaskTemplate, ForceUpdate: 0 }, Mode, EndpointSpec]),
      },
    ]),
  )
}

/** Whether a deployment says of itself what it should. */
export function wrongWords(seen: Deployment, wanted: Expected): string[] {
  const wrong: string[] = []
  const state = `${seen.status}/${seen.decision}/${seen.active}`
  const should = `${wanted.status}/${wanted.decision}/${wanted.active}`
  if (state !== should) wrong.push(`it is ${state}, not ${should} ${JSON.stringify(seen.error)}`)
  const code = seen.error?.code
  if (wanted.codes.length === 0 ? code !== undefined : !wanted.codes.includes(code ?? ''))
    wrong.push(`its error is ${code}, not ${wanted.codes.join(' or ') || 'none'}`)
  if (seen.waitingOn?.kind !== (wanted.decision === 'pending' ? 'decision' : undefined))
    wrong.push(`it waits for ${JSON.stringify(seen.waitingOn)}`)
  for (const name of SERVICES) {
    const own = seen.services.find((one) => one.name === name)
    const { status, codes } = wanted.services[name]
    const said = own?.error?.code ?? ''
    if (!own || !status.includes(own.status) || !(codes.length === 0 ? [''] : codes).includes(said))
      wrong.push(`${name} is said to be ${own?.status} ${said}, not ${status.join(' or ')} ${codes.join(' or ')}`)
    if (own?.error && own.error.service !== name) wrong.push(`the error of ${name} names ${own.error.service}`)
  }
  if (wanted.codes.includes('build_failed') && !seen.services.some(({ status }) => status === 'failed'))
    wrong.push('no service is said to have failed')
  return wrong
}

const SETTLE_MS = 20_000

/** Whether exactly these versions run: by the engine, by `GET /info` and by what visitors get. */
export async function wrongWorld(stack: Stack, world: World, traffic: boolean): Promise<string[]> {
  let wrong: string[] = []
  const look = async () => {
    wrong = [...(await offEngine(stack, world)), ...(traffic ? await offTraffic(stack, world) : [])]
    return wrong.length === 0
  }
  // A container that has been told to end, and a name that leads to it, may last a moment longer.
  await until('as it should be', SETTLE_MS, look, { everyMs: 300 }).catch((error) => {
    if (wrong.length === 0) wrong = [String(error)]
  })
  return wrong
}

async function offEngine(stack: Stack, world: World): Promise<string[]> {
  const there = await onEngine(stack)
  const strangers = Object.keys(there).filter((name) => name !== JOB && !world[name as Name])
  const wrong = strangers.map((name) => `the engine has ${name}, which should not be there`)
  for (const name of RUNNING) {
    const wanted = world[name]
    const own = there[name]
    if (!wanted) continue
    if (own?.deployment !== wanted.deployment || own.tasks.length !== 1)
      wrong.push(`${name} is of ${own?.deployment} in ${own?.tasks.length} tasks, not of ${wanted.deployment}`)
  }
  for (const id of new Set(RUNNING.flatMap((name) => world[name]?.deployment ?? []))) {
    const { data } = await stack.site.ask('GET', `/api/deployments/${id}/info`)
    const ours = (one: { deployment: string; state: string }) => one.deployment === id && one.state === 'running'
    const shown = data.filter(ours).map((one: { service: string }) => one.service)
    const wanted = RUNNING.filter((name) => world[name]?.deployment === id)
    if (shown.toSorted().join() !== wanted.toSorted().join())
      wrong.push(`info of ${id} shows ${shown.join() || 'nothing'}, not ${wanted.join()}`)
  }
  return wrong
}

async function offTraffic(stack: Stack, world: World): Promise<string[]> {
  const wrong: string[] = []
  for (const name of RUNNING) {
    const got = await stack.visit(name).catch((error: Error) => ({ status: 0, text: error.message }))
    const wanted = world[name]
    const right = wanted
      ? got.status === 200 && got.text.trim() === `${name} ${wanted.version}`
      : got.status === 0 || got.status >= 400
    if (!right) wrong.push(`a visitor of ${name} got ${got.status} ${got.text.slice(0, 60)}, not ${wanted?.version}`)
  }
  return wrong
}

/** Which services are not as they were, to the last byte of their specs. */
export function changedSpecs(before: Record<string, OnEngine>, after: Record<string, OnEngine>): string[] {
  const changed = RUNNING.filter((name) => before[name]?.spec !== after[name]?.spec)
  return changed.map(
    (name) => `${name} has another spec than before: ${after[name]?.spec} instead of ${before[name]?.spec}`,
  )
}
