import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { app } from '../test-kit/sample-app.ts'
import { size as sizeOf } from './ledger/sizes.ts'
import { edgeFacts, sameEdge } from './parts/edge-facts.ts'
import { comeAndGo, issueAll, type Place, renewAll } from './parts/tls/changes.ts'
import { startTlsLoad, type TlsLoad } from './parts/tls/load.ts'
import { replaceEdge } from './parts/tls/replace-edge.ts'
import type { Failure, Report } from './parts/tls/tally.ts'
import { openTlsWorld, type TlsWorld } from './parts/tls/world.ts'

export const claim =
  'Certificates come and are renewed, names come and go, deploys run: no visitor loses a request, a connection or a handshake.'
export const kind = 'story'
export const quick = false

/** Smaller only while something is being tried out. */
const size = (name: string, full: number) => sizeOf(`SLIPWAY_PROOF_${name}`, full)
const CERTIFICATES = size('CERTIFICATES', 50)
const DOMAINS = size('DOMAINS', 100)
const LEAST_DEPLOYS = size('DEPLOYS', 3)

const LEAST_PER_SECOND = 200
const HTTP1 = { connections: 16, perSecond: 130 }
const HTTP2 = { connections: 8, perSecond: 130 }
const FRESH_PER_SECOND = 20
/** They would hold up an edge that waits for the end of what it has begun. */
const STREAMS = size('STREAMS', 4)
const OFFERED = HTTP1.perSecond + HTTP2.perSecond + FRESH_PER_SECOND
/** So many that the gap is known to some hundredths of a second. */
const FRESH_AT_REPLACEMENT = 50
const MOST_GAP_MS = 2000
/** What was under way when the gap began, or was late in its end. */
const AROUND_GAP_MS = 250
const WAIT_SECONDS = 240
const MOST_WORDS = 20

/** The names whose connections are kept; those that come under load; those that come and go. */
const names = (what: string, count: number) => Array.from({ length: count }, (_, n) => `${what}-${n + 1}.example.test`)
const STEADY = names('steady', 4)
const COMING = names('coming', CERTIFICATES)
const PASSING = names('passing', DOMAINS)

type Stage = Place & { began: number; live: number; busy: boolean }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const world = await openTlsWorld({ name: 'tlszero' })
  const load = startTlsLoad()
  try {
    const stage = await open(world, load)
    const edge = await edgeFacts(world.site.engine.socket, world.site.instance)
    const wrong = await play(stage)
    const same = sameEdge(edge, await edgeFacts(world.site.engine.socket, world.site.instance))
    const steady = await load.phase(FRESH_AT_REPLACEMENT)
    await sleep(2000)
    await replaceEdge({ socket: world.site.engine.socket, instance: world.site.instance })
    await say(stage, 'the edge is another container')
    await sleep(5000)
    const replacing = await load.end()
    return verdict({ steady, replacing, same, wrong, deploys: stage.live })
  } finally {
    load.stop()
    await world.close()
  }
}

/** The first release, four names with certificates, and the traffic that will not stop from here on. */
async function open(world: TlsWorld, load: TlsLoad): Promise<Stage> {
  await world.start()
  await world.site.addLocalServer()
  const project = await world.site.project('shop')
  const stage: Stage = { world, load, project, began: performance.now(), live: 0, busy: true }
  await deploy(stage, 0)
  await issueAll(stage, STEADY, 60)
  const rates = { http1: HTTP1, http2: HTTP2, freshPerSecond: FRESH_PER_SECOND, streams: STREAMS }
  await load.begin({ door: world.door, hosts: STEADY, ...rates })
  await say(stage, `${STEADY.length} names answer, the traffic begins`)
  return stage
}

/** Says its version and what was asked; streams for as long as it lives. */
const PROGRAM = `
  const answer = (q, r) => {
    if (q.url !== '/events') return r.end('version ' + version + ' ' + q.url)
    const timer = setInterval(() => r.write('data: ' + version + '\\n\\n'), 250)
    r.writeHead(200, { 'content-type': 'text/event-stream' }).on('close', () => clearInterval(timer))
  }
  require('node:http').createServer(answer).listen(process.env.PORT)`

async function deploy(stage: Stage, version: number): Promise<void> {
  const { world, load, project, live } = stage
  await load.allow(String(live), String(version))
  const { status, error } = await world.site.ended(await world.site.deploy(project, app(PROGRAM, version)))
  if (status !== 'ready') throw new Error(`version ${version}: ${status} ${JSON.stringify(error)}`)
  await load.allow(String(version))
  stage.live = version
}

/** All at once; what went wrong in words. */
async function play(stage: Stage): Promise<string[]> {
  const certificates = async () => {
    await issueAll(stage, COMING, WAIT_SECONDS)
    await say(stage, `${CERTIFICATES} certificates issued`)
    const wrong = await renewAll(stage, [...STEADY, ...COMING], 60)
    await say(stage, `${STEADY.length + CERTIFICATES} certificates renewed`)
    return wrong
  }
  const passing = async () => {
    await comeAndGo(stage, PASSING, 120)
    await say(stage, `${DOMAINS} names added, seen at the edge, removed and gone`)
    return []
  }
  const deploys = async () => {
    while (stage.busy || stage.live < LEAST_DEPLOYS) {
      await deploy(stage, stage.live + 1)
      await say(stage, `version ${stage.live} is live`)
    }
    return []
  }
  const changes = Promise.all([certificates(), passing()]).finally(() => {
    stage.busy = false
  })
  return (await Promise.all([changes, deploys()])).flat(2)
}

async function say({ load, began }: Stage, what: string): Promise<void> {
  const { answered, failures, perSecond, p99 } = await load.look()
  const count = Object.values(answered).reduce((sum, one) => sum + one, 0)
  const counts = `${count} answered, ${failures.length} failed, ${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms`
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`  ${seconds.padStart(5)} s  ${what} | ${counts}, load average ${loadavg()[0]?.toFixed(1)}`)
}

type Seen = {
  steady: Report & { streams: number }
  replacing: Report & { ownCpu: number }
  same: boolean
  wrong: string[]
  deploys: number
}

function verdict({ steady, replacing, same, wrong, deploys }: Seen): { ok: boolean; figure: string } {
  const { gap } = replacing
  // Cut off by it, or refused in it: whatever hangs on past its end is no part of it.
  const isInGap = ({ ended }: Failure) =>
    ended >= gap.from - AROUND_GAP_MS && ended <= gap.from + gap.ms + AROUND_GAP_MS
  const outside = replacing.failures.filter((failure) => !isInGap(failure))
  for (const what of wrong) console.log(`  WRONG ${what}`)
  for (const failure of steady.failures.slice(0, MOST_WORDS)) console.log(`  failed ${words(failure)}`)
  for (const failure of outside.slice(0, MOST_WORDS)) console.log(`  failed outside the gap ${words(failure)}`)
  const failed = (kind: Failure['kind']) => steady.failures.filter((one) => one.kind === kind).length
  const { answered } = steady
  const requests = answered['HTTP/1.1'] + answered['HTTP/2']
  const lost = failed('HTTP/1.1') + failed('HTTP/2')
  const renewedInSight = Object.values(steady.serials).filter((serials) => serials.length > 1).length
  const certificates = STEADY.length + CERTIFICATES
  const ok =
    [steady.failures, outside, wrong].every(({ length }) => length === 0) &&
    steady.resetIdle + steady.closedIdle === 0 &&
    steady.slowest >= LEAST_PER_SECOND &&
    gap.ms <= MOST_GAP_MS &&
    deploys >= LEAST_DEPLOYS &&
    steady.streams === STREAMS &&
    same
  const figure = [
    `${lost} of ${requests + lost} requests failed (HTTP/1.1 ${answered['HTTP/1.1']}, HTTP/2 ${answered['HTTP/2']})`,
    `${failed('new connection')} of ${answered['new connection'] + failed('new connection')} new handshakes`,
    `${steady.resetIdle} resets and ${steady.closedIdle} kept connections closed`,
    `at ${steady.perSecond.toFixed(0)}/s of ${OFFERED} offered (slowest 10 s: ${steady.slowest.toFixed(0)}/s, bar ${LEAST_PER_SECOND})`,
    `p50 ${steady.p50.toFixed(1)} ms, p99 ${steady.p99.toFixed(0)} ms, worst ${steady.worst.toFixed(0)} ms`,
    `${certificates} certificates issued and renewed (${CERTIFICATES} of them issued under load, ${renewedInSight} changed in visitors' sight), ${DOMAINS} names added and removed, ${deploys} deploys in ${steady.seconds.toFixed(0)} s`,
    same ? '0 configurations loaded' : 'THE EDGE CHANGED',
    `edge replaced with ${steady.streams} event streams open: no new connection for ${(gap.ms / 1000).toFixed(2)} s (bar ${MOST_GAP_MS / 1000}), ${replacing.failures.length} requests failed in it and ${outside.length} outside`,
    `load average ${loadavg()[0]?.toFixed(1)}, load generator ${(replacing.ownCpu * 100).toFixed(0)} % of a core`,
  ]
  return { ok, figure: figure.join('; ') }
}

const words = ({ kind, host, began, ended, words: what }: Failure) =>
  `at ${(began / 1000).toFixed(1)} s, after ${Math.round(ended - began)} ms: ${kind} to ${host}: ${what}`
