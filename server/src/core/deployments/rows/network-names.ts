import { createHash } from 'node:crypto'

/** The network that all services of a project share, unless a compose file says otherwise. */
export const privateNetwork = (projectId: string) => `p-${projectId.replace(/_/g, '-')}`

/** Where the project's gateway finds the services that names lead to. Nothing else of the server is on it. */
export const publicNetwork = (projectId: string) => `${privateNetwork(projectId)}-edge`

/** A network of a compose file, as the engine knows it. */
export function networkName(projectId: string, key: string): string {
  if (key === 'default') return privateNetwork(projectId)
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${privateNetwork(projectId)}-${key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 20)}-${hash}`
}
