import { callEngine } from '../server/src/drivers/engine/ask.ts'
import { connectEngine } from '../server/src/drivers/engine/connect.ts'
import type { EngineTarget } from '../server/src/drivers/engine/engine.ts'
import { findService } from '../server/src/drivers/runtime/find.ts'
import { ownNetworks } from '../server/src/drivers/runtime/networks.ts'
import { renderService } from '../server/src/drivers/runtime/render/render.ts'
import type { ServiceSpec } from '../server/src/drivers/runtime/rollout/spec.ts'
import { updateService } from '../server/src/drivers/runtime/rollout/write.ts'
import type { Runtime } from '../server/src/drivers/runtime/runtime.ts'
import { type SwarmOptions, swarmRuntime } from '../server/src/drivers/runtime/swarm.ts'

/** For the tests of the runtime: an application that behaves as told, and a spec that runs it on any engine of the lab. */
export function trialSpec(
  name: { project: string; service: string; deployment: string },
  mode: Mode,
  { environment = {}, ...more }: Partial<ServiceSpec> = {},
): ServiceSpec {
  return {
    org: 'org_rtest',
    ...name,
    image: 'node:24-slim',
    entrypoint: ['node', '-e', application],
    environment: { MODE: mode, VERSION: name.deployment, ...environment },
    replicas: 1,
    memoryBytes: 128_000_000,
    healthcheck: {
      kind: 'http',
      path: '/healthz',
      port: 8080,
      intervalMs: 1000,
      timeoutMs: 15_000,
      retries: 3,
      // What comes up is given the time for it; what never does is found out soon.
      startPeriodMs: COMES_UP.includes(mode) ? 30_000 : 3000,
    },
    stopGraceMs: 5000,
    networks: [{ name: trialNetwork(name.project), aliases: [] }],
    volumes: [],
    init: true,
    restart: 'always',
    order: 'start-first',
    monitorMs: 5000,
    ...more,
  }
}

export const trialNetwork = (project: string) => `p-${project}`

/** The real runtime; a rollout makes the network of the project before it applies anything, and so does this. */
export function trialRuntime(options: SwarmOptions): Runtime {
  const runtime = swarmRuntime(options)
  const there = new Map<string, Promise<void>>()
  const ensure = async (engine: EngineTarget, { org, project, networks }: ServiceSpec, signal: AbortSignal) => {
    const name = trialNetwork(project)
    if (!networks.some((network) => network.name === name)) return
    const key = JSON.stringify([engine, name])
    const made = there.get(key) ?? runtime.ensureNetwork(engine, name, { signal, org, project })
    there.set(key, made)
    await made
  }
  return {
    ...runtime,
    apply: async (engine, spec, more) => {
      await ensure(engine, spec, more.signal)
      return runtime.apply(engine, spec, more)
    },
    // What is withdrawn takes its network along.
    withdraw: (engine, project, more) => {
      there.delete(JSON.stringify([engine, trialNetwork(project)]))
      return runtime.withdraw(engine, project, more)
    },
  }
}

type Mode =
  | 'good'
  | 'exit'
  | 'crash'
  | 'nolisten'
  | 'elsewhere'
  | 'loopback'
  | 'oom'
  | 'sick'
  | 'sick-later'
  | 'term-deaf'
  | 'done'

const COMES_UP: Mode[] = ['good', 'crash', 'sick-later', 'term-deaf']

/**
 * Runs in the container, so it is text. `/` answers the version; SIGTERM lets running requests
 * finish. What crashes counts from its first check on: how long it takes to come up is the machine's affair.
 */
const application = `
const http = require('http'), { MODE, VERSION, BOOT_MS = 0, CRASH_MS = 5000, CHAT_MS = 0, SPIN } = process.env;
console.log('boot', MODE, VERSION);
if (MODE === 'done') process.exit(0);
if (MODE === 'exit') { console.error('fatal: DATABASE_URL is missing'); process.exit(3); }
if (MODE === 'oom') setTimeout(() => { const a = []; setInterval(() => a.push(Buffer.alloc(8e6, 1)), 10); }, 300);
if (+CHAT_MS) { let n = 0; setInterval(() => { console.log('line', VERSION, n); console.error('oops', VERSION, n++); }, +CHAT_MS); }
if (SPIN) setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 1);
let sick = MODE === 'sick', crash;
if (MODE === 'sick-later') setTimeout(() => { sick = true; }, +CRASH_MS);
const server = http.createServer((q, r) => {
  if (q.url !== '/healthz') return q.resume().on('end', () => r.end(VERSION));
  if (MODE === 'crash') crash ??= setTimeout(() => { console.error('fatal: lost the database'); process.exit(7); }, +CRASH_MS);
  r.statusCode = sick ? 500 : 200;
  r.end(sick ? 'the database cannot be reached' : 'ok');
});
if (MODE === 'elsewhere') server.listen(9999, () => http.createServer().listen(9229, '127.0.0.1'));
else if (MODE === 'nolisten') setInterval(() => console.log('waiting for nothing'), 2000);
else setTimeout(() => server.listen(8080, MODE === 'loopback' ? '127.0.0.1' : undefined, () => console.log('listening', VERSION)), +BOOT_MS);
process.on('SIGTERM', () => {
  if (MODE === 'term-deaf') return;
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
`.trim()

/** Puts a spec on the engine under a condition that no node meets, as whoever runs the engine can. */
export async function applyNowhere(engine: EngineTarget, instance: string, spec: ServiceSpec): Promise<void> {
  const signal = AbortSignal.timeout(20_000)
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const bounds = { machineBytes: 1024 ** 3, ceilings: {} }
  const own = { instance, project: spec.project, names: spec.networks.map(({ name }) => name) }
  const networks = await ownNetworks(docker, own, signal)
  const around = { instance, api: 145, bounds, networks, health: { Test: ['NONE'] }, forceUpdate: 0 }
  const { TaskTemplate, ...rendered } = renderService(spec, { ...around, over: 'running' })
  const body = { ...rendered, TaskTemplate: { ...TaskTemplate, Placement: { Constraints: ['node.labels.none==1'] } } }
  try {
    const current = await findService(docker, { ...spec, instance }, signal)
    if (current) await updateService(docker, current, body)
    else await callEngine(docker, { method: 'POST', path: '/services/create', body }, signal)
  } finally {
    close()
  }
}
