import { labPart } from '../../../lab/ask.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { handshake, page } from './client.ts'
import { HOST, note, type Proof } from './proof.ts'
import { containersOf, replaceEdge } from './replace-edge.ts'

/** While nobody is there who could mend anything. */
export async function replacedEdge(proof: Proof): Promise<void> {
  const { site, door } = proof.world
  const before = await handshake(door, HOST)
  await replaceEdge({ socket: site.engine.socket, instance: site.instance })
  const after = await until('it shows a certificate', 60_000, () => handshake(door, HOST).catch(() => undefined))
  note(proof, after.serial === before.serial, 'another edge container shows the same certificate', { before, after })
}

/** The project moves to another server: its edge has the certificate before a name leads there, and again after it lost it. */
export async function anotherEdge(proof: Proof): Promise<void> {
  const { world, project } = proof
  const { site } = world
  const before = await handshake(world.door, HOST)
  const door = { ...world.door, address: site.addressOf('host1') }
  const server = await site.addHost('host1')
  await site.ask('PATCH', `/api/projects/${project}`, { serverId: server })
  const id = await site.deploy(project, app(GOOD, 2))
  const meanwhile: string[] = []
  let over = false
  const watching = (async () => {
    while (!over) {
      // From the first moment at which it takes connections.
      const shown = await handshake(door, HOST).catch((error: NodeJS.ErrnoException) => error)
      if (!(shown instanceof Error)) meanwhile.push(shown.serial)
      else if (shown.code !== 'ECONNREFUSED') meanwhile.push(shown.message)
      await new Promise((done) => setTimeout(done, 20))
    }
  })()
  const { status } = await site.ended(id, 240)
  over = true
  await watching
  const answer = await page(door, HOST)
  const right = status === 'ready' && answer.text === 'version 2' && new Set(meanwhile).size === 1
  note(
    proof,
    right && meanwhile[0] === before.serial,
    'a new edge shows the same certificate from its first handshake on',
    { status, answer, seen: [...new Set(meanwhile)], before },
  )
  await emptied(labPart('host1').socket, `${site.instance}-edge`)
  const began = performance.now()
  const again = await until('an emptied edge shows it again', 60_000, () =>
    handshake(door, HOST).catch(() => undefined),
  )
  note(
    proof,
    again.serial === before.serial,
    `an emptied edge is filled again, after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    again,
  )
}

async function emptied(socket: string, name: string): Promise<void> {
  const docker = engineAt(socket)
  const [id = ''] = await containersOf(docker, name)
  const exec = await docker.getContainer(id).exec({ Cmd: ['rm', '-rf', '/edge/pem', '/edge/certs', '/edge/routes'] })
  await exec.start({ Detach: true })
  await until('the files are gone', 10_000, async () => !(await exec.inspect()).Running)
}
