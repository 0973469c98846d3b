import { createHash } from 'node:crypto'

type Content = { path: string; bytes: Buffer; sha256: string; size: number; mode: number }
type Link = { path: string; link: string }
type Sent = { id: string; sent: number }
/** Puts one request to the folder sessions of an instance and gives the body of the answer; rejects when that is a refusal. */
export type Send = (method: string, path: string, type: string, body?: Buffer | string) => Promise<Session>
type Session = { uploadSessionId: string; missing: string[] }

export const content = (path: string, text: string): Content => {
  const bytes = Buffer.from(text)
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, mode: 0o644 }
}

/** Announces a folder to a server that runs, sends what it does not have, seals it. */
export const sendFolder = (url: string, token: string, contents: (Content | Link)[]): Promise<Sent> =>
  sendFolderBy(async (method, path, type, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Session
  }, contents)

/** The same by whatever way requests take. */
export async function sendFolderBy(send: Send, contents: (Content | Link)[]): Promise<Sent> {
  const sessions = '/api/projects/folder-sessions'
  const files = contents.map((entry) => ('link' in entry ? entry : { ...entry, bytes: undefined }))
  const { uploadSessionId: id, missing } = await send('POST', sessions, 'application/json', JSON.stringify({ files }))
  for (const sha256 of missing) {
    const bytes = contents.flatMap((one) => ('sha256' in one && one.sha256 === sha256 ? [one.bytes] : []))[0]
    await send('PUT', `${sessions}/${id}/blobs/${sha256}`, 'application/octet-stream', bytes)
  }
  await send('POST', `${sessions}/${id}/seal`, 'application/json')
  return { id, sent: missing.length }
}
