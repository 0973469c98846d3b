import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGitHost } from '../test-kit/git-host.ts'
import type { Files } from '../test-kit/sample-app.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { firstGap, readStream } from './parts/event-reader.ts'

export const claim =
  'From nothing to a running service and back: folder and git, this server and one over SSH, each verb on the way.'
export const kind = 'story'
export const quick = true

const folder = join(import.meta.dirname, '../examples/node-hello')
const example: Files = Object.fromEntries(
  readdirSync(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
)
/** Not what another leg has sent already. */
const changed = (leg: string): Files => ({ ...example, 'version.json': JSON.stringify({ version: 2, leg }) })

/** One way to bring source in, one server to bring it to. */
type Leg = {
  name: string
  address: string
  /** Deploys these files and answers with the deployment; `blobs` is how many contents travelled. */
  put(projectId: string, files: Files): Promise<{ id: string; blobs: number | null }>
  settings: object
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const gitHost = await startGitHost({ token: 'journey-token-of-the-git-host' })
  const site = await openSite({ name: 'journey', env: { SLIPWAY_GIT_CA_FILE: gitHost.caFile } })
  const began = performance.now()
  const steps: string[] = []
  try {
    await site.start()
    const here = await site.addLocalServer()
    const far = await site.addHost(site.otherHost)
    const legs = legsOf(site, gitHost, { here, far })
    for (const leg of legs) steps.push(...(await travel(site, leg)))
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    return { ok: true, figure: `${legs.length} journeys, ${steps.length} checks, all as promised, in ${seconds} s` }
  } catch (error) {
    return { ok: false, figure: `after ${steps.length} checks: ${(error as Error).message}` }
  } finally {
    await site.close()
    await gitHost.close()
  }
}

type GitHost = Awaited<ReturnType<typeof startGitHost>>

function legsOf(site: Site, gitHost: GitHost, { here, far }: { here: string; far: string }): Leg[] {
  const byFolder: Leg['put'] = async (projectId, files) => {
    const { id, sent } = await site.upload(files)
    const made = await site.ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId: id })
    return { id: made.deployment_id, blobs: sent }
  }
  const byGit =
    (repository: string): Leg['put'] =>
    async (projectId, files) => {
      await gitHost.commit(repository, files)
      const made = await site.ask('POST', '/api/deployments/build/access', { projectId })
      return { id: made.deployment_id, blobs: null }
    }
  const git = (repository: string) => ({
    repository: gitHost.url(repository),
    branch: 'main',
    gitCredential: { kind: 'token', token: 'journey-token-of-the-git-host' },
  })
  const address = { here: site.engine.address, far: site.addressOf(site.otherHost) }
  return [
    { name: 'folder-here', address: address.here, put: byFolder, settings: { serverId: here } },
    { name: 'git-here', address: address.here, put: byGit('one'), settings: { serverId: here, ...git('one') } },
    { name: 'folder-far', address: address.far, put: byFolder, settings: { serverId: far } },
    { name: 'git-far', address: address.far, put: byGit('two'), settings: { serverId: far, ...git('two') } },
  ]
}

/** Walks one leg and names what it saw; the first thing that is not as promised ends it. */
async function travel(site: Site, leg: Leg): Promise<string[]> {
  const passed: string[] = []
  const see = (what: string, ok: boolean, detail?: unknown) => {
    if (!ok) throw new Error(`${leg.name}: ${what}: ${JSON.stringify(detail)}`)
    passed.push(what)
  }
  const answers = async () => JSON.parse((await site.visit(leg.name, '/', leg.address)).text)

  const { project } = await site.ask('POST', '/api/projects/ensure', { name: leg.name })
  await site.ask('PATCH', `/api/projects/${project.id}`, leg.settings)
  await site.ask('PUT', `/api/projects/${project.id}/variables`, { variables: [{ name: 'GREETING', value: 'moin' }] })

  const one = await leg.put(project.id, example)
  const events = await readStream(site.base(), site.token, one.id)
  see('the stream has no gap and ends', firstGap(events) === undefined && events.at(-1)?.type === 'end', events.at(-1))
  see('lines of the build were streamed', events.filter((event) => event.type === 'log').length > 3)
  const first = await site.show(one.id)
  see('ready', first.status === 'ready' && first.active, first.error)
  see('version 1 answers', (await answers()).version === 1)
  see('with its variable', (await answers()).greeting === 'moin')

  const two = await leg.put(project.id, changed(leg.name))
  if (two.blobs !== null) see('one blob travelled', two.blobs === 1, two.blobs)
  const second = await site.ended(two.id)
  see('the change is ready', second.status === 'ready' && second.number === 2, second.error)
  see('version 2 answers', (await answers()).version === 2)

  const back = await site.ask('POST', `/api/deployments/${one.id}/rollback`)
  const third = await site.ended(back.deployment_id)
  see('rolled back', third.status === 'ready' && third.trigger === 'rollback', third.error)
  see('without a build', !third.steps.some((step) => step.name === 'build'), third.steps)
  see('version 1 answers again', (await answers()).version === 1)
  await runningVerbs(site, project.id, { pinned: two.id, active: third.id, visit: answers }, see)
  const refused = await site.visit(leg.name, '/', leg.address)
  see('nothing answers any more', refused.status >= 400, refused)
  console.log(`  ${leg.name}: ${passed.length} checks`)
  return passed
}

type See = (what: string, ok: boolean, detail?: unknown) => void

type Usage = { data: { memoryBytes: number; cpuPercent: number }[] }
const VISITS = 40

/** What is asked all the while uses the processor; a look may still fall into a moment when it does not. */
async function whileAsked(visit: () => Promise<unknown>, usage: () => Promise<Usage>): Promise<Usage> {
  for (let tries = 1; ; tries++) {
    const [found] = await Promise.all([usage(), ...Array.from({ length: VISITS }, visit)])
    if ((found.data[0]?.cpuPercent ?? 0) > 0 || tries === 10) return found
  }
}

type Live = { pinned: string; active: string; visit: () => Promise<unknown> }

async function runningVerbs(site: Site, projectId: string, { pinned, active, visit }: Live, see: See) {
  const pin = await site.ask('POST', `/api/deployments/${pinned}/pin`, {})
  see('pinned', pin.deployment.pinned === true)
  const before = await site.ask('GET', `/api/deployments/${active}/info`)
  const restart = await site.call('POST', `/api/deployments/${active}/restart`)
  see('restart is accepted', restart.status === 202, restart.text)
  const ids = (info: { data: { taskId: string; state: string }[] }) =>
    info.data.filter((task) => task.state === 'running').map((task) => task.taskId)
  await until('the restart has replaced the containers', 60_000, async () => {
    const now = ids(await site.ask('GET', `/api/deployments/${active}/info`))
    return now.length > 0 && !now.some((id) => ids(before).includes(id))
  })
  see('restarted with new containers', true)
  const usage = await whileAsked(visit, () => site.ask('GET', `/api/deployments/${active}/usage`))
  see('usage is real', (usage.data[0]?.memoryBytes ?? 0) > 1_000_000 && (usage.data[0]?.cpuPercent ?? 0) > 0, usage)
  const logs = await site.ask('GET', `/api/deployments/${active}/logs?kind=runtime`)
  see(
    'its own words are in the log',
    logs.data.some(({ line }: { line: string }) => line.includes('listening')),
    logs,
  )
  const kept = await site.call('DELETE', `/api/deployments/${active}`)
  see('the active one is not deleted by mistake', kept.status === 400, kept.text)
  see('deleted', (await site.call('DELETE', `/api/deployments/${active}?force=true`)).status === 200)
  see('it is gone', (await site.call('GET', `/api/deployments/${active}`)).status === 404)
  for (const { id } of (await site.ask('GET', `/api/deployments?projectId=${projectId}`)).data) {
    await site.call('POST', `/api/deployments/${id}/pin`, { pinned: false })
    see('an old one is deleted', (await site.call('DELETE', `/api/deployments/${id}`)).status === 200, id)
  }
  see('the project is deleted', (await site.call('DELETE', `/api/projects/${projectId}`)).status === 200)
}
