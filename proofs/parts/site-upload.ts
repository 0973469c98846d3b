import { createHash } from 'node:crypto'

type Content = { path: string; bytes: Buffer; sha256: string; size: number; mode: number }
type Link = { path: string; link: string }

export const content = (path: string, text: string): Content => {
  const bytes = Buffer.from(text)
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, mode: 0o644 }
}

/** Announces a folder, sends what the server does not have, seals it. */
export async function sendFolder(
  url: string,
  token: string,
  contents: (Content | Link)[],
): Promise<{ id: string; sent: number }> {
  const call = async (method: string, path: string, type: string, body?: Buffer | string) => {
    const answer = await fetch(`${url}/api/projects/folder-sessions${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!answer.ok) throw new Error(`${method} folder session ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { uploadSessionId: string; missing: string[] }
  }
  const files = contents.map((entry) => ('link' in entry ? entry : { ...entry, bytes: undefined }))
  const { uploadSessionId: id, missing } = await call('POST', '', 'application/json', JSON.stringify({ files }))
  for (const sha256 of missing) {
    const bytes = contents.flatMap((one) => ('sha256' in one && one.sha256 === sha256 ? [one.bytes] : []))[0]
    await call('PUT', `/${id}/blobs/${sha256}`, 'application/octet-stream', bytes)
  }
  await call('POST', `/${id}/seal`, 'application/json')
  return { id, sent: missing.length }
}
