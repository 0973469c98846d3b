import { restartEngine } from './parts/engine.ts'
import { restartHost } from './parts/hosts.ts'
import { restartPostgres } from './parts/postgres.ts'

const restarts: Record<string, () => Promise<string>> = {
  postgres: restartPostgres,
  engine: restartEngine,
  host1: () => restartHost('host1'),
  host2: () => restartHost('host2'),
}

export async function restart(names: string[]): Promise<void> {
  const unknown = names.length === 0 ? '' : names.find((name) => !restarts[name])
  if (unknown !== undefined) throw new Error(`name what to restart: ${Object.keys(restarts).join(', ')}`)
  for (const name of names) {
    const begin = performance.now()
    const where = await restarts[name]?.()
    process.stderr.write(`${name} restarted in ${((performance.now() - begin) / 1000).toFixed(1)} s  ${where}\n`)
  }
}
