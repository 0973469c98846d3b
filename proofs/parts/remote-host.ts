import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RemoteListing } from '../../server/src/source/build/remote-tree.ts'

/**
 * Stands in for a git host's API until there is a connection to a real one: a listing of all paths with their sizes, and
 * contents one by one, over HTTP.
 */
export async function startRemoteHost() {
  const repositories = new Map<string, Record<string, string>>()
  let reads = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const files = repositories.get(pathname.split('/')[2] ?? '') ?? {}
    if (pathname.startsWith('/trees/')) {
      const tree = Object.entries(files).map(([path, text]) => ({ path, size: Buffer.byteLength(text) }))
      return response.end(JSON.stringify({ tree }))
    }
    reads++
    const text = files[searchParams.get('path') ?? '']
    return text === undefined ? response.writeHead(404).end() : response.end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = async (path: string) => {
    const answer = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(10_000) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return answer
  }
  return {
    add: (name: string, files: Record<string, string>) => repositories.set(name, files),
    reads: () => reads,
    async open(name: string): Promise<RemoteListing> {
      const { tree } = (await (await get(`/trees/${name}`)).json()) as { tree: RemoteListing['files'] }
      const read = async (path: string) =>
        new Uint8Array(await (await get(`/contents/${name}?path=${encodeURIComponent(path)}`)).arrayBuffer())
      return { files: tree, read, warnings: [] }
    },
    close: () => server.close(),
  }
}
