import type { Files } from '../../../../test-kit/sample-app.ts'
import { composeOf } from '../act.ts'
import type { Stage } from '../stage.ts'

const MIB = 1024 ** 2
/** The attacker's own limit, so that what is shown costs no more than this; without one it is a share of the machine. */
export const MOST = { memoryBytes: 1024 * MIB, processes: 2048, logBytes: 100 * MIB }

export type Exhaustion = {
  name: string
  files: (stage: Stage) => Files
  /** Answers visitors on 8000. */
  open?: true
  /** Refused before anything runs. */
  refused?: true
  /** What it must have used for the row to mean anything. */
  reaches?: { processes?: number; memoryBytes?: number; logBytes?: number }
  /** Others must still be able to do this meanwhile. */
  also?: 'deploy' | 'watch'
}

const SERVE = "require('http').createServer((q, r) => r.end('x')).listen(8000);"
const node =
  (script: string, more: object = {}) =>
  ({ look }: Stage) =>
    composeOf(look, ['node', '-e', SERVE + script], { expose: ['8000'], mem_limit: MOST.memoryBytes, ...more })
const shell =
  (script: string, more: object = {}) =>
  ({ look }: Stage) =>
    composeOf(look, ['-c', script], { entrypoint: ['sh'], mem_limit: MOST.memoryBytes, ...more })

const GROW = 'const all = []; setInterval(() => all.push(Buffer.alloc(32 << 20, 1)), 50)'
const fill = (folder: string) =>
  `let n = 0; const one = Buffer.alloc(16 << 20, 1); setInterval(() => { try { require('fs').appendFileSync('${folder}/f' + (n++ % 9), one) } catch {} }, 50)`
const many = (count: number, of: (n: number) => [string, object]) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => of(n)))
/** Tasks that could never run would take addresses all the same. */
const crowd = (replicas: number, more: object = {}) => shell('sleep 600', { deploy: { replicas, ...more } })

export const EXHAUSTIONS: Exhaustion[] = [
  {
    name: 'processes: a fork bomb',
    files: shell('bomb() { bomb | bomb & }; bomb; sleep 600'),
    reaches: { processes: 1000 },
  },
  { name: 'processors: 16 busy loops', files: shell('for n in $(seq 16); do (while :; do :; done) & done; wait') },
  { name: 'memory: until it is killed, again and again', files: node(GROW), reaches: { memoryBytes: 300 * MIB } },
  {
    name: 'memory: a folder in memory',
    files: node(fill('/t'), { tmpfs: ['/t'] }),
    reaches: { memoryBytes: 300 * MIB },
  },
  {
    name: 'memory: a volume in memory',
    files: ({ look }) =>
      composeOf(
        look,
        ['node', '-e', SERVE + fill('/t')],
        { expose: ['8000'], mem_limit: MOST.memoryBytes, volumes: ['mem:/t'] },
        {
          volumes: { mem: { driver_opts: { type: 'tmpfs', device: 'tmpfs', o: 'size=4g' } } },
        },
      ),
    reaches: { memoryBytes: 300 * MIB },
  },
  {
    name: 'log space: short lines without end',
    files: shell('yes exhausting', {
      logging: { driver: 'local', options: { 'max-size': '900000g', 'max-file': '999' } },
    }),
    reaches: { logBytes: 10 * MIB },
  },
  {
    name: 'log space: lines of a megabyte',
    files: node("const line = 'x'.repeat(1 << 20) + '\\n'; const go = () => process.stdout.write(line, go); go()"),
    reaches: { logBytes: 10 * MIB },
  },
  {
    name: 'log space: one line without an end',
    files: shell("tr '\\0' x < /dev/zero"),
    reaches: { logBytes: 10 * MIB },
  },
  {
    name: 'inotify instances of a user',
    files: shell('for n in $(seq 20); do /inotify 10000 600 & done; wait', { user: '4242' }),
    also: 'watch',
  },
  {
    name: 'addresses: 300 tasks',
    files: crowd(300, { resources: { reservations: { memory: '900g' } } }),
    refused: true,
  },
  {
    name: 'addresses: 40 tasks that reserve all memory',
    files: crowd(40, { resources: { reservations: { memory: '900g' } } }),
    also: 'deploy',
  },
  {
    name: 'addresses: 200 networks',
    files: ({ look }) =>
      composeOf(
        look,
        ['sleep', '600'],
        { networks: many(200, (n) => [`n${n}`, {}]) },
        { networks: many(200, (n) => [`n${n}`, {}]) },
      ),
    refused: true,
  },
  {
    name: 'ports: 5,000 of the server',
    files: shell('sleep 600', { ports: ['30000-34999:30000-34999'] }),
    refused: true,
  },
  { name: 'ports: 20 of the server', files: shell('sleep 600', { ports: ['30000-30019:30000-30019'] }) },
  {
    name: 'checks: every millisecond',
    files: shell('sleep 600', {
      healthcheck: {
        test: ['CMD', 'node', '-e', 'for (let n = 0; n < 1e9; n++);'],
        interval: '1ms',
        timeout: '20s',
        start_interval: '1ms',
        retries: 1000,
      },
    }),
  },
  {
    name: 'starts: ends at once, for ever',
    files: shell('exit 0', { restart: 'always', deploy: { restart_policy: { condition: 'any', delay: '0s' } } }),
  },
  {
    name: 'connections to the edge: 4,000 that never end their request',
    files: (stage) =>
      node(
        `const held = []; setInterval(() => { for (let n = 0; n < 50 && held.length < 4000; n++) held.push(require('net').connect(${stage.site.httpPort}, '${stage.ground.engine.address}', function () { this.write('GET / HTTP/1.1\\r\\nHost: ${stage.victim.host}\\r\\nX-A: ') }).on('error', () => {})) }, 50)`,
      )(stage),
  },
  {
    name: 'disk: all that is left',
    files: shell(
      'fallocate -l 20G /all; n=0; while fallocate -l 256M /f$n || fallocate -l 1M /g$n; do n=$((n+1)); done; echo full; sleep 600',
    ),
  },
]
