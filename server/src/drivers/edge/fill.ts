import { upload } from './archive.ts'
import { byFolder } from './certificates/certificate-file.ts'
import { type Missing, missingOf, writeCertificates } from './certificates/certificates.ts'
import { EDGE_ROOT } from './config.ts'
import { ROLE_LABEL } from './container.ts'
import type { EdgeContents, EdgeSettings } from './edge.ts'
import { ROUTES } from './read-routes.ts'
import { entriesOf } from './reconcile.ts'
import { nameFor } from './route-file.ts'
import type { EdgeScope } from './running.ts'

/** Of somebody who died in between. */
const OLD_MS = 60_000

/**
 * Puts files into the volume of an edge that does not run yet, through a container that is never started: from its first
 * moment on the edge then knows every name that it is to know.
 */
export async function fillVolume(scope: EdgeScope, settings: EdgeSettings, contents: EdgeContents): Promise<void> {
  const { docker, name, signal } = scope
  const [routes, certificates] = await Promise.all([contents.routes(), contents.certificates()])
  if (routes.length + certificates.length === 0) return
  await dropOld(scope)
  const container = await docker.createContainer({
    name: `${name}-fill`,
    Image: settings.image,
    Labels: { [ROLE_LABEL]: 'edge-fill' },
    HostConfig: { Mounts: [{ Type: 'volume', Source: name, Target: EDGE_ROOT }] },
    abortSignal: signal,
  })
  try {
    const nothing = { pointers: new Map(), pems: new Map(), challenges: 0 }
    const missing: Missing[] = missingOf(nothing, byFolder(certificates))
    await writeCertificates(container, signal, missing)
    const entries = [...entriesOf(routes).entries]
    const files = entries.map(([slot, entry]) => ({
      path: `${ROUTES}/${slot}/${nameFor(entry, Date.now())}`,
      body: '',
    }))
    await upload(container, files, signal)
  } finally {
    await container.remove({ force: true }).catch(() => {})
  }
}

async function dropOld({ docker, name, signal }: EdgeScope): Promise<void> {
  const found = await docker.listContainers({ all: true, filters: { name: [`^/${name}-fill$`] }, abortSignal: signal })
  for (const { Id, Created } of found)
    if (Date.now() - Created * 1000 > OLD_MS) await docker.getContainer(Id).remove({ force: true })
}
