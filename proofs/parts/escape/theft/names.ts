import { until } from '../../../../test-kit/until.ts'
import { acted, composeOf, ended, failureOf, printed, rowsOf } from '../act.ts'
import { seenIn } from '../markers.ts'
import type { Row, Stage } from '../stage.ts'

const { row, judged, control } = rowsOf('names of others')
const AT_ONCE = 4
/** The victim sends to its database, and to a name outside, every three seconds. */
const LISTEN_MS = 10_000

/** Names that the victim, its gateway or its visitors look up, claimed in every way a compose file knows. */
export async function names(stage: Stage): Promise<Row[]> {
  const { victim } = stage
  const wanted = ['db', 'web', `web.${victim.project}.internal`, 'api.payments.example', victim.host]
  const aliased = (aliases: string[]) => ({ networks: { default: { aliases } } })
  const ways = wanted.flatMap((name): [string, object, object?][] => [
    [`hostname ${name}`, { hostname: name }],
    [`container_name ${name}`, { container_name: name }],
    [`alias ${name}`, aliased([name])],
  ])
  ways.push(
    [
      'network of the victim',
      { networks: ['theirs'] },
      { networks: { theirs: { external: true, name: victim.network } } },
    ],
    ['domainname internal', { hostname: 'web', domainname: `${victim.project}.internal` }],
    ['link to the victim', { external_links: [`${victim.container}:db`] }],
    ['network alias by service name', { ...aliased([`${victim.project}-web`, victim.container]) }],
  )
  const rows: Row[] = []
  const waiting = ways.entries()
  const lane = async () => {
    for (const [n, [name, more, top]] of waiting) rows.push(await claimed(stage, `name-${n}`, name, more, top))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return [...rows, await inVictimsNetwork(stage)]
}

async function claimed(stage: Stage, called: string, name: string, more: object, top?: object): Promise<Row> {
  const attacker = await stage.attacker(called)
  try {
    const files = composeOf(stage.look, ['node', '/look.mjs'], { expose: ['8000'], ...more }, top)
    const made = await acted(attacker, files, { publicEndpoints: [{ port: 8000 }] })
    if (made.id === undefined) return row(name, 'refused', made.refused)
    const failed = failureOf(made.deployment)
    if (failed) return row(name, 'no result', failed)
    await printed(attacker, made.id, 'LOOK-DONE')
    await visits(stage)
    return judged(name, await attacker.logs(made.id), stage)
  } catch (error) {
    return row(name, 'no result', String(error))
  } finally {
    await ended(stage, attacker)
  }
}

/** The victim's own visitors, with a cookie, for as long as the victim talks three times. */
async function visits({ site, ground }: Stage): Promise<void> {
  const end = performance.now() + LISTEN_MS
  await until('the victim has talked', LISTEN_MS * 3, async () => {
    await site.visit('victim', `/?cookie=${ground.markers.cookie}`).catch(() => {})
    return performance.now() > end
  })
}

/** The same program in the victim's own network, by the engine's own client, with the name of its database. */
async function inVictimsNetwork({ ground, look, victim }: Stage): Promise<Row> {
  const { docker, markers } = ground
  const flags = ['--detach', '--name', 'taker', '--hostname', 'db', '--endpoint-mode', 'dnsrr', '--no-resolve-image']
  await docker('service', 'create', ...flags, '--network', `name=${victim.network},alias=db`, look, 'node', '/look.mjs')
  let seen: string[] = []
  try {
    const wanted = ['read: password', 'read: database', 'read: port']
    const caught = await until('the control sees all', 60_000, async () => {
      seen = seenIn(await docker('service', 'logs', '--raw', 'taker'), markers)
      return wanted.every((one) => seen.includes(one))
    }).catch(() => false)
    return control('in the victim’s network, called db', caught, seen.join('; ').slice(0, 300))
  } finally {
    await docker('service', 'rm', 'taker')
  }
}
