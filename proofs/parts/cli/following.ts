import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Site } from '../../../test-kit/site.ts'
import { size } from '../../ledger/sizes.ts'
import type { Check } from './checks.ts'
import { write } from './journey.ts'
import { relay } from './relay.ts'
import { type Machine, runCli } from './run-cli.ts'

const LINES = size('SLIPWAY_CLI_LINES', 50_000)
const KILLS = size('SLIPWAY_CLI_KILLS', 5)

/** The server dies and is replaced again and again while somebody follows a long build: each line is seen once. */
export async function following(check: Check, site: Site, machine: Machine): Promise<string> {
  const folder = join(machine.home, 'long')
  write(folder, {
    Dockerfile: `FROM busybox:1
RUN n=0; while [ $n -lt ${LINES} ]; do echo line $n; n=$((n+1)); done
RUN exit 4
`,
  })
  // What builds is another process, and lives.
  await site.start({ role: 'worker' })
  let api: Awaited<ReturnType<Site['start']>> | null = await site.start({ role: 'api' })
  const line = await relay(() => api?.url ?? null)
  const there = { ...machine, env: { ...machine.env, SLIPWAY_URL: line.url } }
  const running = runCli(there, ['deploy', '--verbose', '--json', '-p', 'long'], { cwd: folder })
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(3000)
    await api.stop('SIGKILL')
    api = null
    api = await site.start({ role: 'api' })
  }
  const { out, code } = await running
  line.close()
  const seen = [...out.matchAll(/"line":"line (\d+)"/g)].map(([, n]) => Number(n))
  const lost = LINES - new Set(seen).size
  check(
    `${KILLS} times killed while following ${LINES} lines: ${seen.length} seen, ${lost} lost, exit code ${code}`,
    seen.length === LINES && lost === 0 && code === 5,
  )
  return `${LINES} lines followed over ${KILLS} kills, ${lost} lost, ${seen.length - LINES + lost} doubled`
}
