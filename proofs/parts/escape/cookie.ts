import { sendBytes } from './edge.ts'
import type { Stage } from './stage.ts'

/** A visitor who is logged in somewhere: whoever reads the cookie is that visitor. */
export function visitWith({ site, ground }: Pick<Stage, 'site' | 'ground'>, host: string): Promise<string> {
  const head = `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: session=${ground.markers.cookie}\r\nConnection: close\r\n\r\n`
  return sendBytes(site.engine.address, site.httpPort, Buffer.from(head))
}

/** Goes on visiting the victim until told to stop. */
export function keepVisiting(stage: Pick<Stage, 'site' | 'ground' | 'victim'>): () => Promise<void> {
  let goes = true
  const loop = async () => {
    while (goes) {
      await visitWith(stage, stage.victim.host)
      await new Promise((next) => setTimeout(next, 1000))
    }
  }
  const running = loop()
  return async () => {
    goes = false
    await running
  }
}
