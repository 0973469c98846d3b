import { rmSync } from 'node:fs'
import { ended, run, tried } from '../argv.ts'
import { PATHS, USER } from '../paths.ts'
import { waited } from '../waited.ts'

const SETTLE_MS = 120_000

/** By what everything of ours is marked with, never by how it is called: names may be somebody else's, too. */
export async function removeServices(instance: string): Promise<string> {
  const labels = [`slipway.instance=${instance}`, `slipway.edge.instance=${instance}`]
  let removed = 0
  for (const kind of ['service', 'container', 'config', 'secret', 'network', 'volume', 'image'] as const) {
    const all = (await Promise.all(labels.map((label) => listed(kind, label)))).flat()
    for (const id of new Set(all)) if (await remove(kind, id)) removed += 1
    if (kind === 'service')
      await waited('The containers of the services end', SETTLE_MS, async () => (await tasksOf(labels)).length === 0)
  }
  // Made by the engine for the edge's container, and marked by nobody.
  for (const volume of [`${instance}-edge`, `${instance}-edge-sockets`])
    if (await remove('volume', volume)) removed += 1
  return `${removed} things`
}

async function listed(kind: string, label: string): Promise<string[]> {
  const all = kind === 'container' ? ['--all'] : []
  // An engine that does not answer has not said that nothing is there.
  return lines(await run(['docker', kind, 'ls', ...all, '--quiet', '--filter', `label=${label}`]))
}

const tasksOf = async (labels: string[]) => {
  const found = await Promise.all(labels.map((label) => listed('container', label)))
  const edges = await listed('container', 'slipway.role=edge')
  return found.flat().filter((id) => !edges.includes(id))
}

async function remove(kind: string, id: string): Promise<boolean> {
  const force = ['container', 'image', 'volume'].includes(kind) ? ['--force'] : []
  // A network is held for a moment by tasks that are just gone.
  for (let tries = 0; tries < 50; tries++) {
    const { code, err } = await ended(['docker', kind, 'rm', ...force, id])
    if (code === 0) return true
    if (/no such|not found/i.test(err)) return false
    await new Promise((next) => setTimeout(next, 300))
  }
  throw new Error(`${kind} ${id} cannot be removed: see docker ${kind} rm ${id}`)
}

export function removeProgram(): void {
  for (const path of [PATHS.link, PATHS.program]) rmSync(path, { recursive: true, force: true })
}

export function removeData(): void {
  for (const path of [PATHS.data, PATHS.backups, PATHS.etc, PATHS.noMainCluster, '/run/slipway'])
    rmSync(path, { recursive: true, force: true })
}

export async function removeUser(): Promise<void> {
  if ((await tried(['id', USER])) !== null) await run(['userdel', USER])
}

const lines = (text: string) => text.split('\n').filter(Boolean)
