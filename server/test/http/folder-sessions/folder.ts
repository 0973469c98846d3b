import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'
import type { Org, World } from '../../../../test-kit/world.ts'

type Api = Org['owner']['api']

export const SESSIONS = '/api/projects/folder-sessions'

export const shaOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

export const file = (path: string, content: string | Buffer, mode = 0o644) => ({
  path,
  sha256: shaOf(content),
  size: Buffer.byteLength(content),
  mode,
})

export const announce = (api: Api, files: unknown[]) => api('POST', SESSIONS, { files })

export const put = (api: Api, id: string, content: string | Buffer, sha = shaOf(content)) =>
  api('PUT', `${SESSIONS}/${id}/blobs/${sha}`, Buffer.from(content), { 'content-type': 'application/octet-stream' })

export const show = (api: Api, id: string) => api('GET', `${SESSIONS}/${id}`)
export const seal = (api: Api, id: string) => api('POST', `${SESSIONS}/${id}/seal`)

/** Announces these contents by path, sends them all and seals. */
export async function upload(api: Api, contents: Record<string, string>) {
  const files = Object.entries(contents).map(([path, content]) => file(path, content))
  const { uploadSessionId: id, missing } = (await announce(api, files)).body
  for (const content of Object.values(contents)) if (missing.includes(shaOf(content))) await put(api, id, content)
  return (await seal(api, id)).body.uploadSessionId as string
}

export type TarEntry = Partial<Header> & { name: string; content?: string | Buffer }

export async function tarOf(entries: TarEntry[]): Promise<Buffer> {
  const archive = pack()
  for (const { content, ...header } of entries) archive.entry(header, content ?? '')
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const sendTar = (api: Api, tar: Buffer) => api('POST', SESSIONS, tar, { 'content-type': 'application/gzip' })
export const sendEntries = async (api: Api, entries: TarEntry[]) => sendTar(api, gzipSync(await tarOf(entries)))

/** All that is on disk: finished contents and what is half written. */
export async function onDisk({ platform }: World): Promise<string[]> {
  const all: string[] = []
  for await (const batch of platform.blobs.listOlderThan(-60_000)) all.push(...batch)
  return all.sort()
}

export const blobRows = async ({ platform }: World, orgId: string): Promise<string[]> =>
  (await platform.pool.query('select location from blob where org_id = $1', [orgId])).rows.map((row) => row.location)
