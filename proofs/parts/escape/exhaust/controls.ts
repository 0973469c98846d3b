import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { until } from '../../../../test-kit/until.ts'
import { rowsOf } from '../act.ts'
import { feel } from '../neighbour.ts'
import type { Row, Stage } from '../stage.ts'
import { useOfContainer } from './use.ts'

const { control } = rowsOf('exhaustion')
const MIB = 1024 ** 2
const PATIENCE_MS = 30_000

/** The same programs where nothing bounds them, each for seconds and within what this machine bears. */
export async function exhaustControls(stage: Stage): Promise<Row[]> {
  return [
    await exceeds(stage, {
      name: 'processes of a container without a limit',
      argv: [
        '--pids-limit',
        '-1',
        '--entrypoint',
        'sh',
        stage.look,
        '-c',
        'n=0; while [ $n -lt 2000 ]; do sleep 20 & n=$((n+1)); done; wait',
      ],
      what: 'processes',
      bound: 1500,
    }),
    await exceeds(stage, {
      name: 'memory of a container without a limit',
      argv: [
        stage.look,
        'node',
        '-e',
        'const held = Buffer.alloc(1500 << 20, 1); setTimeout(() => console.log(held.length), 20_000)',
      ],
      what: 'memoryBytes',
      bound: 1100 * MIB,
    }),
    await exceeds(stage, {
      name: 'the log of a container without a limit',
      argv: [
        '--log-driver',
        'json-file',
        '--entrypoint',
        'sh',
        stage.look,
        '-c',
        'yes exhausting | head -c 100m; sleep 20',
      ],
      what: 'logBytes',
      bound: 106 * MIB,
    }),
    await processors(stage),
    inotify(stage),
  ]
}

type Wanted = { name: string; argv: string[]; what: 'processes' | 'memoryBytes' | 'logBytes'; bound: number }

async function exceeds(stage: Stage, { name, argv, what, bound }: Wanted): Promise<Row> {
  const { docker } = stage.ground
  const id = (await docker('run', '--detach', ...argv)).trim()
  let most = 0
  try {
    const caught = await until(name, PATIENCE_MS, async () => {
      most = Math.max(most, (await useOfContainer(stage, id))[what])
      return most > bound
    }).catch(() => false)
    return control(name, caught, `${most}, more than the bound of ${bound}`)
  } finally {
    await docker('rm', '--force', id)
  }
}

/** Busy loops with more weight than the neighbour has: its visitors feel them. */
async function processors(stage: Stage): Promise<Row> {
  const { docker } = stage.ground
  const quiet = await feel(stage)
  const script =
    "require('os').setPriority(-20); for (let n = 0; n < 16; n++) require('child_process').spawn(process.execPath, ['-e', 'for (;;);']); setTimeout(process.exit, 20_000)"
  const argv = ['--cpu-shares', '262144', '--cap-add', 'SYS_NICE', stage.look, 'node', '-e', script]
  const id = (await docker('run', '--detach', ...argv)).trim()
  try {
    const felt = await feel(stage)
    const times = felt.p99 / quiet.p99
    const caught = times > 3 || felt.failed > 0
    return control('processors without a share for others', caught, `p99 ${times.toFixed(1)} times of quiet`)
  } finally {
    await docker('rm', '--force', id)
  }
}

/** A user that may have 128 of them: who comes second gets none. */
function inotify({ ground }: Stage): Row {
  const program = join(ground.folder, 'look', 'inotify')
  // In a namespace of users of its own, where the number can be set without touching the machine's.
  const script = `
    require('fs').writeFileSync('/proc/sys/user/max_inotify_instances', '128')
    const { execFileSync, spawn } = require('child_process')
    const first = spawn('${program}', ['1000', '20'])
    first.stdout.once('data', (bytes) => { console.log(bytes + execFileSync('${program}', ['10', '0'])); first.kill() })`
  const argv = ['--user', '--map-root-user', process.execPath, '-e', script]
  const got = execFileSync('unshare', argv, { encoding: 'utf8', timeout: PATIENCE_MS })
  return control(
    'a user with few inotify instances',
    got.includes('inotify 0 of 10'),
    got.trim().replaceAll('\n', ', '),
  )
}
