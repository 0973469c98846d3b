import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { labPart } from '../ask.ts'
import { dockerApi } from '../docker.ts'
import type { HandmadeHost } from './host.ts'

/** Hashes of all that a server holds, by what they are of. */
export type Print = Map<string, string>

type Inspected = Record<string, never> & {
  State?: Record<string, unknown>
  Name?: string
  Mounts?: { Destination?: string }[]
}

/**
 * A print of everything on a server, to be compared before and after. Left out is what the engine changes by itself while nobody does
 * anything: results of health checks and the ids of their commands, and the state of containers that restart all the time.
 * Mounts are sorted, because the engine answers them in random order. Access times are not looked at.
 */
export async function printOf(host: HandmadeHost, restless: string[]): Promise<Print> {
  const { socket } = labPart(host.name)
  const ask = async (path: string) => JSON.parse(await dockerApi(socket, 'GET', path))
  const print: Print = new Map()
  const add = (kind: string, name: string, value: unknown) =>
    print.set(`${kind} ${name}`, hash(stable(calm(value as Inspected, restless))))
  for (const { Id } of await ask('/containers/json?all=1')) add('container', Id, await ask(`/containers/${Id}/json`))
  for (const { Id } of await ask('/images/json?all=1')) add('image', Id, await ask(`/images/${Id}/json`))
  for (const { Id } of await ask('/networks')) add('network', Id, await ask(`/networks/${Id}`))
  for (const { ID, ...service } of await ask('/services')) add('service', ID, service)
  for (const kind of ['configs', 'secrets']) for (const { ID, ...one } of await ask(`/${kind}`)) add(kind, ID, one)
  for (const { Name, Mountpoint, ...volume } of (await ask('/volumes')).Volumes ?? []) {
    add('volume', Name, volume)
    walk(Mountpoint, `in volume ${Name}`, print)
  }
  for (const folder of ['/srv', '/opt', '/home', '/root']) walk(host.outside(folder), folder, print)
  return print
}

/** What is not the same in both. */
export function differing(before: Print, after: Print): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort()
}

function calm(one: Inspected, restless: string[]): unknown {
  const { State, ExecIDs: _, Mounts, ...rest } = one as Inspected & { ExecIDs?: unknown }
  const isRestless = restless.includes((one.Name ?? '').replace(/^\//, ''))
  const { Health: __, ...state } = State ?? {}
  const containers = (rest as { Containers?: Record<string, { Name?: string }> }).Containers
  return {
    ...rest,
    ...(containers && {
      Containers: Object.fromEntries(
        Object.entries(containers).filter(([, { Name }]) => !restless.includes(Name ?? '')),
      ),
    }),
    State: isRestless ? null : state,
    ...(isRestless && { NetworkSettings: null, RestartCount: null }),
    Mounts: Mounts?.toSorted((a, b) => ((a.Destination ?? '') < (b.Destination ?? '') ? -1 : 1)),
  }
}

function walk(folder: string, title: string, print: Print): void {
  const look = (path: string, name: string) => {
    const stats = lstatSync(path, { bigint: true })
    const { mode, uid, gid, size, mtimeNs, ctimeNs } = stats
    const content = stats.isFile() ? hash(readFileSync(path)) : stats.isSymbolicLink() ? readlinkSync(path) : ''
    print.set(`${title}${name}`, [mode, uid, gid, size, mtimeNs, ctimeNs, content].join(' '))
    if (stats.isDirectory()) for (const entry of readdirSync(path).sort()) look(join(path, entry), `${name}/${entry}`)
  }
  look(folder, '')
}

const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

const stable = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
