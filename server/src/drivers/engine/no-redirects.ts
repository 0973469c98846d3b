import type { Agent, ClientRequest, IncomingMessage } from 'node:http'

type Adding = { addRequest(request: ClientRequest, ...more: unknown[]): void }

/**
 * An engine that sends us elsewhere is not followed: docker-modem would ask whatever address it names, past this agent,
 * and end the process over one that it cannot read. Without the address the answer is a failure like any other.
 */
export function withoutRedirects<Kind extends Agent>(agent: Kind): Kind {
  const adding = agent as unknown as Adding
  const add = adding.addRequest
  adding.addRequest = (request, ...more) => {
    request.prependOnceListener('response', ({ headers }: IncomingMessage) => {
      delete headers.location
    })
    add.call(agent, request, ...more)
  }
  return agent
}
