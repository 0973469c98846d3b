import { type Case, file } from './cases.ts'
import { rowOf } from './rows.ts'
import type { Row, Stage } from './stage.ts'
import { DONE } from './try.ts'

/** What a server allows is its admins' to say: nothing of it is left open to who may only deploy. */
export async function policyRows(stage: Stage, wanted: (name: string) => boolean): Promise<Row[]> {
  const { site, serverId, ground, look } = stage
  const policy = (said: object) => site.ask('PATCH', `/api/servers/${serverId}`, { policy: said })
  const compose = (web: object) => file('compose.yaml', JSON.stringify({ services: { web } }))
  const shows = ['cat', '/secret']
  const one = (name: string, ...entries: Case['entries']): Case => ({ name, want: 'refused', door: 'policy', entries })
  const cases = [
    one('image-operator-local', compose({ image: ground.operatorImage, command: shows })),
    one('image-operator-local-digest', compose({ image: `docker.io/${ground.operatorImage}`, command: shows })),
    one(
      'df-operator-local',
      file('Dockerfile', `FROM ${ground.operatorImage}\nRUN cat /secret && echo ${DONE}\n`),
      compose({ build: '.', command: shows }),
    ),
    one(
      'port-of-server-closed',
      compose({ image: look, ports: ['18022:22', { target: 53, published: 18053, protocol: 'udp' }] }),
    ),
  ].filter(({ name }) => wanted(name))
  await policy({ localImages: false, hostPorts: false })
  try {
    const rows: Row[] = wanted('policy-by-attacker') ? [await byAttacker(stage)] : []
    for (const each of cases) rows.push(await rowOf(stage, each))
    return rows
  } finally {
    await policy({ localImages: null, hostPorts: null })
  }
}

async function byAttacker(stage: Stage): Promise<Row> {
  const attacker = await stage.attacker('policy')
  const said = { policy: { localImages: true, hostPorts: true, remoteAdd: true } }
  const { status, text } = await attacker.call('PATCH', `/api/servers/${stage.serverId}`, said)
  const verdict = status === 403 || status === 404 ? 'refused' : 'WORKED'
  return { name: 'policy-by-attacker', door: 'policy', verdict, words: text.slice(0, 200) }
}
