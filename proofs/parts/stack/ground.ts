import { openSite, type Site } from '../../../test-kit/site.ts'
import { visit } from '../../../test-kit/visit.ts'
import { atEdge, type Name, RUNNING, type Shape, stackFiles, type Version } from './stack.ts'

/** A project of the stack: how it is deployed and where its services answer. */
export type Stack = ReturnType<typeof stackOf>

export async function openGround(name: string, processes = 1) {
  const site = await openSite({ name })
  try {
    for (let one = 0; one < processes; one++) await site.start()
    await site.addLocalServer()
    return site
  } catch (error) {
    await site.close()
    throw error
  }
}

/** `bakeSeconds: 0`: nobody watches a release after it has gone live, who could mistake what a proof does to it. */
export async function newStack(site: Site, called: string, shape: Shape = 'chains'): Promise<Stack> {
  const project = await site.project(called, { settings: { bakeSeconds: 0 } })
  return stackOf(site, project, called, shape)
}

function stackOf(site: Site, project: string, called: string, shape: Shape) {
  const hostOf = (name: Name) => `${name}.${site.host(called)}`
  let named = false
  return {
    site,
    project,
    called,
    shape,
    hostOf,
    /** Names are claimed with the first. */
    async deploy(version: Version, more: object = {}): Promise<string> {
      const only = RUNNING.filter((name) => (version.only ?? RUNNING).includes(name))
      const files = stackFiles({ shape, ...version })
      const id = await site.deploy(project, files, { ...(!named && atEdge(hostOf, only)), ...more })
      named = true
      return id
    },
    /** What a visitor of one of its services gets. */
    visit: (name: Name, path = '/') => visit({ address: site.engine.address, port: site.httpPort }, hostOf(name), path),
  }
}
