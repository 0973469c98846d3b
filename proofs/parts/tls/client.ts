import { request } from 'node:https'
import { connect } from 'node:tls'

export type Door = { address: string; port: number; ca: string }
export type Shown = { serial: string; issuer: string; validTo: Date; authorized: boolean; error: string | null }

const WAIT_MS = 10_000

/** One handshake as a stranger's: which certificate is shown for this name, and whether the client believes it. */
export function handshake({ address, port, ca }: Door, servername: string): Promise<Shown> {
  return new Promise((done, fail) => {
    const socket = connect({ host: address, port, servername, ca, rejectUnauthorized: false, timeout: WAIT_MS }, () => {
      const { serialNumber, issuer, valid_to } = socket.getPeerCertificate()
      const { authorized, authorizationError } = socket
      socket.destroy()
      done({
        serial: serialNumber,
        issuer: String(issuer?.CN ?? ''),
        validTo: new Date(valid_to),
        authorized,
        error: authorized ? null : String(authorizationError),
      })
    })
    socket.on('timeout', () => socket.destroy(new Error(`no handshake within ${WAIT_MS / 1000} s`)))
    socket.on('error', fail)
  })
}

export type Page = { status: number; text: string; headers: Record<string, string | string[] | undefined> }

/** A page over a connection of its own, with a certificate that is believed. */
export function page({ address, port, ca }: Door, host: string, path = '/'): Promise<Page> {
  return new Promise((done, fail) => {
    const where = { host: address, port, path, servername: host, ca, agent: false, timeout: WAIT_MS, headers: { host } }
    const asked = request(where, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
      answer.on('error', fail)
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${WAIT_MS / 1000} s`)))
    asked.on('error', fail).end()
  })
}
