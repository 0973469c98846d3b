import { until } from '../../../../test-kit/until.ts'
import { act, composeOf, ended, failureOf, printed, rowsOf } from '../act.ts'
import type { Row, Stage } from '../stage.ts'

const { row, judged, control } = rowsOf('raw packets')
const VISITS = 20

/** Whoever can send raw packets says to be at a neighbour's address, and gets what is sent there. */
export async function arp(stage: Stage): Promise<Row[]> {
  return [...(await inProject(stage)), await onSharedBridge(stage)]
}

async function inProject(stage: Stage): Promise<Row[]> {
  const { victim, site, ground } = stage
  const attacker = await stage.attacker('arp')
  const claims = victim.addresses.flatMap((address) => ['eth0', 'eth1', 'eth2'].map((link) => [link, address]))
  const script = claims.map(([link, address]) => `/arp take ${link} ${address} 20 255.255.255.255 any & `).join('')
  const command = ['-c', `exec 2>&1; ${script} /arp raw; echo TRIED; sleep 600`]
  const made = await act(attacker, composeOf(stage.look, command, { entrypoint: ['sh'], user: '0' }), {})
  if (made.id === undefined) return [row('a neighbour’s address', 'refused', made.refused)]
  const failed = failureOf(await attacker.ended(made.id, 180))
  const text = failed ?? (await printed(attacker, made.id, 'TRIED'))
  const answers: string[] = []
  for (let n = 0; n < VISITS; n += 1) answers.push((await site.visit('victim', `/?${ground.markers.cookie}`)).text)
  const kept = answers.filter((said) => said.includes('victim answers')).length
  const after = await attacker.logs(made.id)
  await ended(stage, attacker)
  const raw = text.includes('no raw socket') && !text.includes('WORKED')
  return [
    row('a raw socket', raw ? 'refused' : 'WORKED', raw ? 'no raw socket: Operation not permitted' : text.slice(-300)),
    judged('visits of the victim during it', after, stage),
    row('its visitors', kept === VISITS ? 'harmless' : 'WORKED', `${kept} of ${VISITS} visits answered by the victim`),
  ]
}

/** A bridge that two share, and one of them with the right: the same program takes the other's visitors. */
async function onSharedBridge({ ground, look }: Stage): Promise<Row> {
  const { docker } = ground
  const names = ['shared-web', 'shared-thief', 'shared-visitor']
  await docker('network', 'create', 'shared-bridge')
  const start = (name: string, ...argv: string[]) =>
    docker('run', '--detach', '--name', name, '--network', 'shared-bridge', ...argv)
  try {
    const serve = "require('http').createServer((q, r) => r.end('honest')).listen(80)"
    await start('shared-web', look, 'node', '-e', serve)
    await start('shared-visitor', look, 'sleep', '300')
    const at = (name: string) => addressOf(ground, name)
    const [web, visitor] = [await at('shared-web'), await at('shared-visitor')]
    await start('shared-thief', '--cap-add', 'NET_RAW', look, '/arp', 'take', 'eth0', web, '60', visitor)
    let taken = 0
    const ask = async () => {
      const asking = `fetch('http://${web}/?${ground.markers.cookie}', { signal: AbortSignal.timeout(2000) }).then((a) => a.text()).then(console.log, () => {})`
      if ((await docker('exec', 'shared-visitor', 'node', '-e', asking)).includes('attacker')) taken += 1
      return taken >= 3
    }
    await until('visits are taken', 30_000, ask).catch(() => {})
    const said = await docker('logs', 'shared-thief')
    const caught = taken >= 3 && said.includes(ground.markers.cookie)
    return control('a neighbour on one bridge, with the right to raw packets', caught, `${taken} visits taken`)
  } finally {
    await docker('rm', '--force', ...names)
    await docker('network', 'rm', 'shared-bridge')
  }
}

async function addressOf({ api }: Stage['ground'], name: string): Promise<string> {
  const { NetworkSettings } = await api.getContainer(name).inspect()
  return Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? ''
}
