/** What the edge on a server is called, unless it is told otherwise. */
export const EDGE_NAME = 'slipway-edge'

/** Where edge and gateways meet, in the containers of both. */
export const SOCKETS_FOLDER = '/sockets'

/**
 * The name under which a service's tasks are found: the runtime puts it on the network of the project's gateway as an alias,
 * and the gateway asks DNS for exactly this. Underscores stay: Docker's DNS and Caddy both take them.
 */
export function alias(project: string, service: string): string {
  return `${service}.${project}.internal`
}
