import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { daemonCalled, endGroup, startIn } from '../group.ts'
import { needNetwork } from '../network.ts'
import { partDir } from '../paths.ts'
import { lastLines } from '../run.ts'
import { readLab, record } from '../state.ts'
import { tool, toolEnv } from '../tools.ts'
import { needPackages } from './packages.ts'

const dir = partDir('registry')
const log = join(dir, 'log')
const PORT = 5000

/** A registry at the gateway, where every machine of the lab reaches it; their engines take it without TLS. */
export async function upRegistry(): Promise<string> {
  await needPackages('engine', 'registry')
  const running = readLab().registry
  if (running && registryRuns()) return running.address
  await endGroup('registry')
  rmSync(dir, { recursive: true, force: true })
  const { gateway } = await needNetwork()
  const address = `${gateway}:${PORT}`
  mkdirSync(join(dir, 'data'), { recursive: true })
  // JSON is YAML.
  const settings = {
    version: '0.1',
    log: { accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(dir, 'data') }, delete: { enabled: true } },
    http: { addr: address },
  }
  writeFileSync(join(dir, 'config.yml'), JSON.stringify(settings))
  startIn('registry', [tool('docker-registry'), 'serve', join(dir, 'config.yml')], { log, env: toolEnv() })
  await until('registry: waiting for it to answer', 20_000, () => answers(address)).catch((error: Error) => {
    throw new Error(`${error.message}\n${lastLines(readFileSync(log, 'utf8'), 12)}\n  Its log is ${log}.`)
  })
  record({ registry: { address, log } })
  return address
}

export function registryRuns(): boolean {
  return daemonCalled('registry', 'docker-registry') !== undefined
}

const answers = (address: string) =>
  fetch(`http://${address}/v2/`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  )
