import type { Flags } from '../flags.ts'
import type { Facts } from '../look/look.ts'

export type EdgePorts = {
  http: number
  https: number
  /** Who has 80 or 443: the edge goes behind it. Null: it is in front itself. */
  front: { program: string; port: number } | null
}

/** Ports that are taken are no reason to refuse: the edge goes behind whoever has them, and touches nothing of it. */
export function edgePorts({ listeners, installed }: Facts, flags: Pick<Flags, 'httpPort' | 'httpsPort'>): EdgePorts {
  const { SLIPWAY_EDGE_HTTP_PORT: http, SLIPWAY_EDGE_HTTPS_PORT: https } = installed.settings
  if (http && https) return { http: Number(http), https: Number(https), front: null }
  const taken = [80, 443].find((port) => listeners[port] !== undefined)
  const front = taken === undefined ? null : { program: listeners[taken] ?? '', port: taken }
  return {
    http: flags.httpPort ?? (front ? firstFree(8080, listeners) : 80),
    https: flags.httpsPort ?? (front ? firstFree(8443, listeners) : 443),
    front,
  }
}

/** The port, or the next one that nobody has. */
function firstFree(from: number, listeners: Facts['listeners']): number {
  let port = from
  while (listeners[port] !== undefined) port += 1
  return port
}
