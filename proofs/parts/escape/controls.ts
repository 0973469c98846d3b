import { join } from 'node:path'
import { inNetwork, looked, ran, withCache, withCookie, withFrontend, withName } from './holes.ts'
import type { Kind } from './markers.ts'
import type { Row, Stage } from './stage.ts'

/** What must be in the list of findings, once the hole is there. */
type Control = { name: string; wants: string[]; run(stage: Stage): Promise<string[]> }

const read = (...kinds: Kind[]) => kinds.map((kind) => `read: ${kind}`)

/**
 * Every detector that judges the rows is given the hole that it is for: a container made on the engine itself, past the
 * platform. One that finds nothing there would find nothing anywhere.
 */
const all: Control[] = [
  {
    name: 'a folder of the host is mounted',
    wants: [...read('host'), 'written: '],
    run: async (stage) => {
      stage.ground.plant('control')
      const found = await looked(stage, '--volume', `${join(stage.ground.hostFolder, 'control')}:/m`)
      return [...found, ...stage.ground.plant('control')]
    },
  },
  {
    name: 'the victim’s volume is mounted',
    wants: read('volume'),
    run: (s) => looked(s, '--volume', `${s.victim.volume}:/m`),
  },
  {
    name: 'the victim’s processes are seen',
    wants: read('variable'),
    run: (stage) => looked(stage, '--pid', `container:${stage.victim.container}`, '--cap-add', 'SYS_PTRACE'),
  },
  {
    name: 'the victim’s image is run',
    wants: read('image'),
    run: (s) => ran(s, s.victim.image.tag, 'cat', '/secret-in-image'),
  },
  {
    name: 'an operator’s image is run',
    wants: read('operator'),
    run: (s) => ran(s, s.ground.operatorImage, 'cat', '/secret'),
  },
  { name: 'the victim’s cache is mounted', wants: read('cache'), run: withCache },
  {
    name: 'the host’s network is used',
    wants: [...read('metadata', 'loopback'), 'sees the interfaces'],
    run: (s) => looked(s, '--network', 'host'),
  },
  {
    name: 'the sockets of the gateways are mounted',
    wants: read('port'),
    run: (s) => looked(s, '--volume', `${s.site.instance}-edge-sockets:/m`),
  },
  { name: 'a service is in the victim’s network', wants: read('port', 'database'), run: inNetwork },
  {
    name: 'a container has every right',
    wants: [
      'has the capabilities',
      'without a filter',
      'raw socket',
      'mounted a file system',
      'has the disks',
      'may write',
    ],
    run: (stage) => looked(stage, '--privileged'),
  },
  {
    name: 'a container has the engine’s socket',
    wants: ['has the socket'],
    run: (stage) => looked(stage, '--volume', '/var/run/docker.sock:/var/run/docker.sock'),
  },
  {
    name: 'a container sees the processes of the host',
    wants: ['sees the process'],
    run: (s) => looked(s, '--pid', 'host', '--privileged'),
  },
  {
    name: 'the secrets of the control plane are in the environment',
    wants: ['read: the key', 'read: the address'],
    run: (stage) => looked(stage, ...Object.values(stage.secrets).flatMap((value, n) => ['--env', `S${n}=${value}`])),
  },
  { name: 'a visitor’s cookie arrives at the attacker', wants: read('cookie'), run: withCookie },
  { name: 'a frontend is asked for', wants: ['asked the attacker'], run: withFrontend },
  { name: 'a name below the instance’s is given away', wants: ['has the name'], run: withName },
]

export async function controlRows(stage: Stage): Promise<Row[]> {
  const rows: Row[] = []
  for (const { name, wants, run } of all) {
    const found = await run(stage).catch((error) => [String(error).slice(0, 300)])
    const missing = wants.filter((want) => !found.some((one) => one.includes(want)))
    const words =
      missing.length === 0 ? wants.join(', ') : `not found: ${missing.join(', ')}; found: ${found.join('; ')}`
    const verdict = missing.length === 0 ? 'WORKED' : 'no result'
    rows.push({ name, door: 'control', verdict, words: words.slice(0, 400), control: true })
  }
  return rows
}
