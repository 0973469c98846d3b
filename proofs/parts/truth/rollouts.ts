import type { Wish } from './bench.ts'
import type { Case, Wrong } from './case.ts'
import { onNothing, overGood } from './case.ts'

const behaves = (MODE: string, env: Record<string, string> = {}, config: object = {}): Wish => ({
  env: { MODE, ...env },
  config,
})

const rollout = (code: Wrong['code'], message: RegExp, hint: RegExp, line?: RegExp): Wrong => ({
  code,
  step: 'rollout',
  message,
  hint,
  ...(line && { line }),
})

const exits = rollout(
  'crashed',
  /^The service ended with code 3.* Its last line: fatal: DATABASE_URL is missing$/,
  /last lines/,
  /^fatal: DATABASE_URL is missing$/,
)
/** Within the time that the engine watches it, or right after. */
const crashes = rollout(
  ['crashed', 'unstable'],
  /^The service ended with code 7/,
  /last lines/,
  /^fatal: lost the database$/,
)
const silent = rollout(
  'port_not_listening',
  /^Nothing listens on port 3000\. The service listens on no port at all; the platform expects 3000\.$/,
  /0\.0\.0\.0 and the port in the variable PORT \(3000\)/,
)
const elsewhere = rollout(
  'port_not_listening',
  /^Nothing listens on port 3000\. The service listens on 9229 \(127\.0\.0\.1 only\), 9999; the platform expects 3000\.$/,
  /PORT \(3000\), or set `port` of the service to 9999/,
)
const inside = rollout('port_not_listening', /^Port 3000 is open only inside the container.*127\.0\.0\.1/, /0\.0\.0\.0/)
const sick = rollout('unhealthy', /GET \/healthz answered 500 Internal Server Error/, /health check/)
const tooMuch = rollout('out_of_memory', /more memory than it may.* 64 MiB/, /memoryMb/)
const noCpus = rollout('no_resources', /range of CPUs/i, /larger server/)
const noProgram = rollout('cannot_start', /cannot be started: .*nosuch/, /`command` of the service/)

const small = { memoryMb: 64 }
const greedy = { cpus: 500 }

/** Services that do not come up, or do not stay up: as a first deployment, and over a release that serves. */
export const rolloutCases: Case[] = [
  onNothing('first: exits at once', behaves('exit'), exits, 'create exits at once'),
  onNothing('first: crashes after 5 s', behaves('crash'), crashes, 'create crashes after 5 s'),
  onNothing('first: never listens', behaves('nolisten'), silent, 'create never listens'),
  onNothing('first: its health check says 500', behaves('sick'), sick, 'create health says 500'),
  onNothing('first: takes too much memory', behaves('oom', {}, small), tooMuch, 'create out of memory'),
  onNothing(
    'first: wants more than the machine has',
    behaves('good', {}, greedy),
    noCpus,
    'create no memory on any node',
  ),
  onNothing(
    'first: ends without an error',
    behaves('done'),
    rollout('crashed', /^The service ended with code 0/, /must keep running/, /^booting$/),
  ),
  onNothing(
    'first: ends without an error, and is not started again',
    behaves('done', {}, { restart: 'on-failure' }),
    rollout('crashed', /^The service ended with code 0/, /must keep running/, /^booting$/),
  ),
  onNothing('first: its program is not in the image', { config: { command: ['nosuch'] } }, noProgram),
  overGood('over good: exits at once', behaves('exit'), exits, { probe: 'update good to exit' }),
  overGood('over good: crashes after 5 s', behaves('crash'), crashes, {
    probe: 'update good to crash 5 s',
    gapMs: 30_000,
  }),
  overGood('over good: never listens', behaves('nolisten'), silent, { probe: 'update good to never listens' }),
  overGood('over good: listens on another port', behaves('elsewhere'), elsewhere),
  overGood('over good: listens on localhost only', behaves('loopback'), inside),
  overGood('over good: fails its health check', behaves('sick'), sick),
  overGood('over good: fails its health check later', behaves('sick-later', { AFTER_MS: '2500' }), sick, {
    gapMs: 30_000,
  }),
  overGood('over good: takes too much memory', behaves('oom', {}, small), tooMuch, { gapMs: 30_000 }),
  overGood('over good: wants more than the machine has', behaves('good', {}, greedy), noCpus, {
    probe: 'update good to no memory',
  }),
  overGood('over good: its program is not in the image', { config: { command: ['nosuch'] } }, noProgram),
  overGood(
    'over good: its own health check says no',
    behaves(
      'good',
      {},
      {
        healthcheck: { command: `sh -c 'echo "queue is full"; exit 1'`, intervalMs: 500, retries: 2, startPeriodMs: 0 },
      },
    ),
    rollout('unhealthy', /did not pass: queue is full/, /health check/),
  ),
]
