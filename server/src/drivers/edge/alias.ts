/** The overlay network that public services join, and what the edge on a server is called. */
export const EDGE_NETWORK = 'slipway-edge'

/**
 * The name under which a service's tasks are found: the runtime puts it on the edge's network as an alias, and the edge's
 * configuration asks DNS for exactly this. Underscores stay: Docker's DNS and Caddy both take them.
 */
export function alias(project: string, service: string): string {
  return `${service}.${project}.internal`
}
