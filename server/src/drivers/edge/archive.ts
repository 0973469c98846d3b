import type { Container } from 'dockerode'
import { EDGE_ROOT } from './config.ts'

/** Paths below the edge's volume and what is in them. */
export type EdgeFiles = { path: string; body: string | Buffer }[]

/** Puts files into the edge's volume in one request, without running anything there. Works for remote engines too. */
export function upload(container: Container, files: EdgeFiles, signal: AbortSignal): Promise<void> {
  // Keys are for Caddy alone.
  const modeOf = (path: string) => (path.endsWith('.pem') ? 0o600 : 0o644)
  const whole = files.map(({ path, body }) => ({ path: `${EDGE_ROOT}/${path}`, body, mode: modeOf(path) }))
  return uploadTo(container, whole, signal)
}

type WholeFile = { path: string; body: string | Buffer; mode: number }

/** The same anywhere in the container, by absolute paths. */
export async function uploadTo(container: Container, files: WholeFile[], signal: AbortSignal): Promise<void> {
  const { pack } = await import('tar-stream')
  const tar = pack()
  const mtime = new Date()
  for (const { path, body, mode } of files) tar.entry({ name: path.slice(1), mode, mtime }, body)
  tar.finalize()
  const parts: Buffer[] = []
  for await (const part of tar) parts.push(part as Buffer)
  await container.putArchive(Buffer.concat(parts), { path: '/', abortSignal: signal })
}

/** The files of a folder of the edge's volume, by name; none when the folder is missing. */
export async function list(container: Container, folder: string, signal: AbortSignal): Promise<string[]> {
  const stream = await container
    .getArchive({ path: `${EDGE_ROOT}/${folder}`, abortSignal: signal })
    .catch((error: { statusCode?: number; message: string }) => {
      // A container that is gone has the same code, and dockerode puts "no such container" before either.
      if (error.statusCode === 404 && /could not find the file/i.test(error.message)) return null
      throw error
    })
  if (!stream) return []
  const { extract } = await import('tar-stream')
  const tar = extract()
  stream.on('error', (error) => tar.destroy(error as Error)).pipe(tar)
  const found: string[] = []
  for await (const entry of tar) {
    if (entry.header.type === 'file') found.push(entry.header.name.slice(entry.header.name.indexOf('/') + 1))
    entry.resume()
  }
  return found
}
