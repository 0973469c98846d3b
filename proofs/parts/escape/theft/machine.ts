import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acted, composeOf, ended, failureOf, printed, rowsOf } from '../act.ts'
import type { Row, Stage } from '../stage.ts'

const { row, control } = rowsOf('the machine’s own affairs')

/** What the program says when it has reached one of them. */
const PLACES = {
  'the control plane’s port': /WORKED reached the control plane/,
  'the engine’s port': /WORKED reached the engine/,
  'a proxy’s own API': /WORKED reached a proxy/,
  'a service of the machine’s own network (metadata)': /WORKED reached metadata|mark-metadata-/,
  'ports of another project, exposed or not, and its database':
    /WORKED reached a port of another|mark-(port|database)-/,
} as const
type Place = keyof typeof PLACES
const PLACES_ALL = Object.keys(PLACES) as Place[]

/** The program that looks at everything, in a project's container and in a step of its build; then where nothing stops it. */
export async function machine(stage: Stage): Promise<Row[]> {
  return [...(await fromContainer(stage)), ...(await fromBuild(stage)), ...(await controls(stage))]
}

const judge = (where: string, text: string): Row[] =>
  PLACES_ALL.map((place) => {
    const name = `${place}, from ${where}`
    if (!text.includes('LOOK-DONE')) return row(name, 'no result', text.slice(-200))
    const found = text.split('\n').filter((line) => PLACES[place].test(line))
    return found.length > 0 ? row(name, 'WORKED', found[0]?.slice(0, 200) ?? '') : row(name, 'harmless', 'not reached')
  })

async function fromContainer(stage: Stage): Promise<Row[]> {
  const attacker = await stage.attacker('machine')
  try {
    const made = await acted(attacker, composeOf(stage.look, ['node', '/look.mjs'], { expose: ['8000'] }))
    const failed = made.id === undefined ? made.refused : failureOf(made.deployment)
    return judge('a container', failed ?? (await printed(attacker, made.id ?? '', 'LOOK-DONE')))
  } finally {
    await ended(stage, attacker)
  }
}

async function fromBuild(stage: Stage): Promise<Row[]> {
  const attacker = await stage.attacker('machine-build')
  try {
    const Dockerfile = `FROM ${stage.look}\nRUN node /look.mjs once\nRUN exit 7\n`
    const made = await acted(attacker, { Dockerfile })
    return judge('a build', made.id === undefined ? made.refused : await attacker.buildLog(made.id))
  } finally {
    await ended(stage, attacker)
  }
}

/** On a bridge of its own, which no rule speaks of, with a listener of the lab in the place of the control plane. */
async function controls({ ground, look, victim }: Stage): Promise<Row[]> {
  const { docker } = ground
  const words = JSON.parse(await docker('run', '--rm', look, 'cat', '/words.json'))
  const open = join(ground.folder, 'open-words.json')
  const controlPort = Number(ground.listener.address.split(':')[1])
  writeFileSync(open, JSON.stringify({ ...words, controlPort }))
  await docker('network', 'create', 'open-bridge')
  const mount = ['--volume', `${open}:/words.json:ro`]
  const program = [look, 'node', '/look.mjs', 'once']
  try {
    const outside = await docker('run', '--rm', '--network', 'open-bridge', ...mount, ...program)
    const within = await docker('run', '--rm', '--network', `container:${victim.container}`, ...mount, ...program)
    const caught = (place: Place, text: string) => control(place, PLACES[place].test(text), 'reached without the lock')
    return [
      caught('the control plane’s port', outside),
      caught('a service of the machine’s own network (metadata)', outside),
      caught('ports of another project, exposed or not, and its database', within),
    ]
  } finally {
    ground.listener.take()
    await docker('network', 'rm', 'open-bridge')
  }
}
