import type { Deployment } from '@slipway/contract/deployment-shape'
import { labPart } from '../lab/ask.ts'
import { type HandmadeHost, openHandmade } from '../lab/handmade/host.ts'
import { clearHandmade, makeHandmade } from '../lab/handmade/make.ts'
import { differing, printOf } from '../lab/handmade/print.ts'
import { cleared } from '../test-kit/engine.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { size } from './ledger/sizes.ts'
import { compareChoices } from './parts/migration/choices.ts'
import { contentOf, makeShop, ROWS, rowsIn } from './parts/migration/shop.ts'

export const claim =
  'services of a hand-made server are adopted as they were and deployed with their data in place; until then, and whenever that fails, the server is as it was'
export const kind = 'story'
export const quick = false

const HOST = 'host2'
const CHOICES = size('SLIPWAY_ADOPT_CHOICES', 200)
const KEYS = ['compose/shop/db', 'compose/shop/web', 'compose/shop/worker']
const ORIGINALS = ['shop-db-1', 'shop-web-1', 'shop-worker-1']

type Note = (what: string, wrong: string[]) => void

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const wrong: string[] = []
  const note: Note = (what, found) => {
    console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
    for (const each of found.slice(0, 20)) console.log(`         ${each}`)
    wrong.push(...found)
  }
  const site = await openSite({ name: 'adopt' })
  let host = await openHandmade(HOST)
  try {
    await site.start()
    const serverId = await site.addHost(HOST)
    await clearHandmade(host)
    await makeShop(host)
    const same = await theShop(site, host, serverId, note)
    await cleared(labPart(HOST).socket, site.instance)
    host = await makeHandmade(HOST)
    const { compared, named } = await compareChoices(site, serverId, HOST, CHOICES, note)
    const figure = `a PostgreSQL with ${ROWS} rows, a web application and a worker: ${same} prints equal after the adoption and after a deployment that was refused; every row there after going live and after a deployment that failed; ${CHOICES} random choices of services, ${compared} services compared with their inspections: equal, or named in warnings (${named} times); ${wrong.length} faults`
    return { ok: wrong.length === 0, figure }
  } finally {
    await cleared(labPart(HOST).socket, site.instance).catch(() => {})
    await clearHandmade(host)
    await site.close()
  }
}

async function theShop(site: Site, host: HandmadeHost, serverId: string, note: Note): Promise<number> {
  const before = await printOf(host, [])
  const content = await contentOf(host, 'shop-db-1')
  const body = { serverId, projectName: 'shop', serviceNames: KEYS }
  const adopted = await site.ask('POST', '/api/migration/adopt', body)
  note('the server is the same after the adoption', differing(before, await printOf(host, [])))
  const project: string = adopted.project.id
  await site.ask('PATCH', `/api/projects/${project}`, { settings: { bakeSeconds: 0 } })

  const refused = await deploy(site, project)
  const told = [...ORIGINALS].filter((name) => name !== 'shop-worker-1' && !refused.error?.message.includes(name))
  note(
    'deployed while the originals run: refused with their names',
    refused.error?.code === 'originals_present' ? told.slice(1) : [JSON.stringify(refused.error)],
  )
  note('and the server is the same', differing(before, await printOf(host, [])))

  await host.docker('stop', '-t', '30', ...ORIGINALS)
  const live = await deploy(site, project)
  note('the originals stopped: deployed', live.status === 'ready' ? [] : [JSON.stringify(live.error ?? live.services)])
  const db = await taskOf(host, project, 'db')
  note(
    'every row is there',
    [await contentOf(host, db)].filter((now) => now !== content),
  )
  const mounts = (await host.docker('inspect', '-f', '{{range .Mounts}}{{.Name}} {{end}}', db)).trim()
  note('on the same volume', mounts === 'shop_data' ? [] : [mounts])
  const address = site.addressOf(HOST)
  const answer = await until(
    'it answers through the edge',
    60_000,
    async () => {
      const { status, text } = await site.visit('shop', '/', address).catch(() => ({ status: 0, text: '' }))
      return status === 200 ? text : false
    },
    { everyMs: 300 },
  ).catch((error: Error) => error.message)
  note('the application answers through the edge', answer === `rows ${ROWS}` ? [] : [String(answer)])

  await site.ask('PUT', `/api/projects/${project}/services/db`, { memoryMb: 8 })
  const failed = await deploy(site, project)
  note('a deployment that fails', failed.status === 'ready' ? ['it did not fail'] : [])
  await until(
    'the database is back',
    120_000,
    async () => (await rowsIn(host, await taskOf(host, project, 'db'))) === ROWS,
    { everyMs: 300 },
  )
  note(
    'leaves every row',
    [await contentOf(host, await taskOf(host, project, 'db'))].filter((now) => now !== content),
  )
  const granted = await site.ask<{ data: { id: string }[] }>('GET', `/api/projects/${project}/grants`)
  for (const { id } of granted.data) await site.ask('DELETE', `/api/projects/${project}/grants/${id}`)
  const late = await deploy(site, project)
  note(
    'after its grants were revoked it is refused',
    late.error?.code === 'grant_missing' ? [] : [JSON.stringify(late.error)],
  )
  return before.size
}

async function deploy(site: Site, projectId: string): Promise<Deployment> {
  const made = await site.ask('POST', '/api/deployments/build/access', { projectId })
  return site.ended(made.deployment_id, 300)
}

const taskOf = async (host: HandmadeHost, project: string, service: string) => {
  const labels = ['--filter', `label=slipway.project=${project}`, '--filter', `label=slipway.service=${service}`]
  return (await host.docker('ps', '-q', ...labels)).trim().split('\n')[0] ?? ''
}
