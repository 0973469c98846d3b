import { app } from '../../../test-kit/sample-app.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { isServing, leftBehind, tasksOf } from './left-behind.ts'
import { startProber } from './prober.ts'

/** A Node application of which each build is another, and that can be told when to listen and how to end. */
export const webApp = (version: number, { bootMs = 0, deaf = false } = {}) => ({
  ...app(
    `${deaf ? "process.on('SIGTERM', () => {})" : ''}
     const server = require('node:http').createServer((q, r) => r.end('version ' + version))
     setTimeout(() => server.listen(process.env.PORT), ${bootMs})`,
    version,
  ),
  Dockerfile: dockerfile(),
})

const dockerfile = (...steps: string[]) =>
  ['FROM node:24-slim', 'COPY . .', ...steps, 'EXPOSE 8080', 'CMD ["node", "server.js"]', ''].join('\n')

/** The same with a step that takes so long, and can be recognised on the machine by that. */
export const slowBuild = (seconds: string, version = 9, ...more: string[]) => ({
  ...webApp(version),
  Dockerfile: dockerfile(`RUN sleep ${seconds}`, ...more),
})

export type Bench = Awaited<ReturnType<typeof openBench>>

/** An instance with a project whose first release is asked for all the time, and everything the faults look at. */
export async function openBench(site: Site, pool = ownPool(site)) {
  const socket = site.engine.socket
  const steady = await site.project('steady')
  const first = await site.ended(await site.deploy(steady, webApp(1)))
  if (first.status !== 'ready') throw new Error(`The first release did not come up: ${JSON.stringify(first.error)}`)
  // It is gone back to at the end, after more releases than are kept.
  await site.ask('POST', `/api/deployments/${first.id}/pin`, {})
  let release = first.id
  const prober = startProber({ address: site.engine.address, port: site.httpPort, host: site.host('steady') })
  return {
    site,
    pool,
    socket,
    /** The project, and its release of version 1. */
    steady,
    release: () => release,
    /** To version 1, from a release that nobody meant to go live. */
    async goBack() {
      const { deployment_id } = await site.ask('POST', `/api/deployments/${first.id}/rollback`, {})
      const { id, status } = await site.ended(deployment_id)
      if (status !== 'ready') throw new Error(`The way back to version 1 is ${status}`)
      release = id
    },
    prober,
    /** Tasks of the release that serve now. */
    serving: async () =>
      (await tasksOf(socket, steady)).filter((task) => task.deployment === release && isServing(task)),
    left: (id: string, project: string) => leftBehind(socket, { id, project, first: project !== steady }),
  }
}

function ownPool({ database }: Site) {
  if (!database) throw new Error('A site on a database of its own has to be told how to look into it.')
  return database.pool
}

export { openSite }
