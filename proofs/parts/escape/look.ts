import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '../../../test-kit/site.ts'
import type { Ground } from './ground.ts'
import type { Victim } from './victim.ts'

const programs = join(import.meta.dirname, 'programs')

/** The image that attackers run: it tries whatever a program can try from inside. Pushed to a registry, as theirs would be. */
export async function makeLook(ground: Ground, site: Site, victim: Victim): Promise<string> {
  const folder = join(ground.folder, 'look')
  mkdirSync(folder)
  for (const name of ['arp', 'inotify'])
    execFileSync('gcc', ['-static', '-O1', '-o', join(folder, name), join(programs, `${name}.c`)], { stdio: 'pipe' })
  copyFileSync(join(programs, 'look.mjs'), join(folder, 'look.mjs'))
  writeFileSync(join(folder, 'words.json'), JSON.stringify(await wordsFor(ground, site, victim)))
  writeFileSync(
    join(folder, 'Dockerfile'),
    'FROM node:24\nCOPY arp inotify look.mjs words.json /\nCMD ["node", "/look.mjs"]\n',
  )
  const tag = `${ground.registry}/evil/look:1`
  await ground.docker('build', '--tag', tag, folder)
  await ground.docker('push', tag)
  return tag
}

/** What an attacker may know or guess: addresses, ports, names. */
async function wordsFor({ api, machine, hostFolder, metadata, loopback }: Ground, site: Site, victim: Victim) {
  const { Containers = {} } = await api.getNetwork(`${site.instance}-edge-bridge`).inspect()
  const edges = Object.values(Containers as Record<string, { IPv4Address: string }>)
  return {
    hostFolder,
    metadata,
    loopback,
    controlPort: Number(new URL(site.base()).port),
    machine: [machine.address, machine.network.gateway],
    victims: victim.addresses,
    edges: edges.map(({ IPv4Address }) => IPv4Address.split('/')[0]),
    names: ['web', 'db', victim.host, victim.container, `${victim.project}-web`, 'api.payments.example'],
    packets: [],
  }
}
