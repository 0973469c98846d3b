import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap, type RunningServer, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'
import { type Content, GIBIBYTE, gibibyte, gibibyteTar, hashOf, REFUSED, smallFiles } from './parts/upload-contents.ts'
import { type Uploader, uploader } from './parts/uploader.ts'

export const claim =
  'An unchanged folder transfers nothing, an upload that was cut off resumes with what is missing, and 1 GiB streams through in under 200 MB.'
export const kind = 'figure'
export const quick = true

const MOST_RSS_MB = 200
const FILES = 2000
const AT_ONCE = 16

/** Every step prints what it found; one that misses its bar is counted. */
let missed = 0
function check(what: string, ok: boolean): void {
  console.log(`  ${ok ? 'ok    ' : 'MISSED'} ${what}`)
  if (!ok) missed += 1
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const database = await createDatabase({ migrated: true })
  const { token } = await bootstrap(database.url)
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-upload-'))
  const start = () =>
    startServer({ databaseUrl: database.url, dataDir, env: { SLIPWAY_UPLOAD_FILES: String(FILES + 500) } })
  let server = await start()
  try {
    const folder = await foldersTwice(uploader(server.url, token))
    server = await cutAndResumed(server, start, token)
    const speed = await gibibytes(server, uploader(server.url, token))
    await refusals(uploader(server.url, token))
    const figure = `${FILES} files ${folder.seconds.toFixed(1)} s (${folder.sentAgain} sent again because the database was too busy), second session ${folder.again} blobs, 1 GiB at ${speed}`
    return { ok: missed === 0, figure }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
    await database.drop()
  }
}

async function foldersTwice(api: Uploader) {
  const files = smallFiles(FILES, 'first')
  const began = performance.now()
  const first = await api.send(files, AT_ONCE)
  const seconds = (performance.now() - began) / 1000
  check(`a folder of ${FILES} files is sent in ${seconds.toFixed(2)} s, ${first.sent} contents`, first.sent === FILES)
  const again = await api.send(files, AT_ONCE)
  check(`the same folder again transfers ${again.sent} contents`, again.sent === 0 && again.state === 'sealed')
  const changed = await api.send([...files.slice(1), ...smallFiles(1, 'changed')], AT_ONCE)
  check(`with one file changed it transfers ${changed.sent}`, changed.sent === 1)
  return { seconds, again: again.sent, sentAgain: first.again }
}

/** Cuts the connection in the middle of a content, then kills the whole server in the middle of another. */
async function cutAndResumed(server: RunningServer, start: () => Promise<RunningServer>, token: string) {
  const api = uploader(server.url, token)
  const small = smallFiles(200, 'resumed')
  const big = [1, 2].map((seed): Content => ({ path: `big${seed}`, bytes: Buffer.alloc(8 * 1024 * 1024, seed) }))
  const session = await api.announce([...small, ...big])
  const sent = small.slice(0, 120)
  for (const content of sent) await api.put(session.uploadSessionId, content)
  await api.putHalf(session.uploadSessionId, big[0] as Content)
  const left = [...small.slice(120), ...big].map((content) => hashOf(content)).sort()
  const same = (missing: string[]) =>
    missing.length === left.length && missing.sort().every((hash, i) => hash === left[i])
  check(
    'after a cut connection exactly what did not arrive is missing',
    same((await api.show(session.uploadSessionId)).missing),
  )

  await api.putHalf(session.uploadSessionId, big[1] as Content, () => server.stop('SIGKILL'))
  const next = await start()
  const resumed = uploader(next.url, token)
  check('after the server was killed too', same((await resumed.show(session.uploadSessionId)).missing))
  for (const content of [...small, ...big]) {
    if (left.includes(hashOf(content))) await resumed.put(session.uploadSessionId, content)
  }
  check('and what was missing completes it', (await resumed.seal(session.uploadSessionId)).state === 'sealed')
  return next
}

async function gibibytes(server: RunningServer, api: Uploader): Promise<string> {
  const idle = server.rssMb()
  const sha256 = await hashOfStream()
  const session = await api.announce([{ path: 'one-gib', sha256, size: GIBIBYTE }])
  const byPut = await timed(() => api.putStream(session.uploadSessionId, sha256, gibibyte('put')))
  check(
    `1 GiB as one content: ${byPut.rate.toFixed(0)} MB/s`,
    (await api.seal(session.uploadSessionId)).state === 'sealed',
  )
  const byTar = await timed(() => api.sendTar(gibibyteTar('tar')))
  check(
    `1 GiB as an archive: ${byTar.rate.toFixed(0)} MB/s`,
    byTar.answer.state === 'sealed' && byTar.answer.bytes === GIBIBYTE,
  )
  const peak = server.peakRssMb()
  check(`memory of the server: ${idle.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`, peak < MOST_RSS_MB)
  return `${byPut.rate.toFixed(0)} MB/s (archive ${byTar.rate.toFixed(0)} MB/s) with peak RSS ${peak.toFixed(0)} MB`
}

async function hashOfStream(): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of gibibyte('put')) hash.update(chunk)
  return hash.digest('hex')
}

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; rate: number }> {
  const began = performance.now()
  const answer = await work()
  return { answer, rate: GIBIBYTE / 1e6 / ((performance.now() - began) / 1000) }
}

async function refusals(api: Uploader): Promise<void> {
  for (const { what, files, code } of REFUSED(FILES + 501)) {
    const answer = await api.tryAnnounce(files)
    check(`${what}: ${told(answer, 90)}`, answer.code === code)
  }
  const right: Content = { path: 'a', bytes: Buffer.from('the right bytes') }
  const { uploadSessionId } = await api.announce([right])
  const wrong = await api.tryPut(uploadSessionId, hashOf(right), Buffer.from('the wrong bytes'))
  check(`a wrong hash: ${told(wrong, 60)}`, wrong.code === 'hash_mismatch')
  const long = await api.tryPut(uploadSessionId, hashOf(right), Buffer.alloc(5_000_000))
  check(`a wrong size: ${told(long, 60)}`, long.code === 'hash_mismatch')
}

/** What was taken is told as well: it is what a proof is looking for. */
const told = ({ code, error }: { code?: string; error?: string }, most: number) =>
  code === undefined ? 'it was taken' : `${code}: ${(error ?? '').slice(0, most)}`
