import { type Found, found } from './detection.ts'
import type { Look } from './look.ts'

const FILES = ['Dockerfile', 'Containerfile']
const PORT = 8080

/** A Dockerfile of the source is used as it is. */
export async function detectDockerfile(look: Look, named?: string): Promise<Found | null> {
  const path = named ?? look.first(...FILES)
  if (path === undefined || !look.has(path)) return null
  const text = (await look.text(path)) ?? ''
  const exposed = exposedPort(text)
  return found({
    strategy: 'dockerfile',
    port: exposed ?? PORT,
    because: [`the source has ${path}`, ...(exposed === null ? [] : [`it exposes port ${exposed}`])],
    warnings: exposed === null ? [`${path} exposes no port; ${PORT} is taken unless you name another.`] : [],
    confidence: exposed === null ? 'medium' : 'high',
    dockerfilePath: path,
  })
}

/** The first port of the last stage; through one variable, as `EXPOSE $PORT` is common. */
function exposedPort(text: string): number | null {
  const stage = text.split(/^[ \t]*FROM\b/im).at(-1) ?? ''
  const said = /^[ \t]*EXPOSE[ \t]+["']?(\S+?)["']?(?:\/(?:tcp|udp))?(?:\s|$)/im.exec(stage)?.[1]
  const name = /^\$\{?(\w+)/.exec(said ?? '')?.[1]
  const value =
    name === undefined ? said : new RegExp(`^[ \\t]*(?:ENV|ARG)[ \\t]+${name}[= ]\\s*["']?(\\d+)`, 'im').exec(text)?.[1]
  const port = Number(value)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
}
