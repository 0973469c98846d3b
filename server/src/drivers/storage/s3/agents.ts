import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { rootCertificates } from 'node:tls'
import { guardedLookup, type MayConnect, refuseAddress } from '../../ssh/lookup.ts'

export type Agents = {
  http: HttpAgent
  https: HttpsAgent
  /** Whether any connection was ever made: before that, nothing can have been stored. */
  reached(): boolean
  destroy(): void
}

type Limits = { mayConnect: MayConnect | undefined; roots: string | undefined }

/** Connections that ask, each time and with the resolved address, whether they may be made. */
export function makeAgents({ mayConnect, roots }: Limits): Agents {
  let reached = false
  const noDelay = { keepAlive: true, noDelay: true, maxSockets: 32, scheduling: 'lifo' } as const
  const options: AgentOptions = { ...noDelay, ...(mayConnect && { lookup: guardedLookup(mayConnect) }) }
  const trust = roots === undefined ? {} : { ca: [...rootCertificates, roots] }
  const watch = <T extends HttpAgent>(agent: T): T => {
    const create = agent.createConnection.bind(agent)
    agent.createConnection = (target, done) => {
      // An address in the URL is never looked up.
      refuseAddress(target.host ?? '', mayConnect)
      const socket: Duplex | null | undefined = create(target, done)
      ;(socket as Socket | undefined)?.once('connect', () => {
        reached = true
      })
      return socket
    }
    return agent
  }
  const http = watch(new HttpAgent(options))
  const https = watch(new HttpsAgent({ ...options, ...trust }))
  return {
    http,
    https,
    reached: () => reached,
    destroy() {
      http.destroy()
      https.destroy()
    },
  }
}
