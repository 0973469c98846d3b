import { stat } from 'node:fs/promises'
import type { Call } from '../../command.ts'
import { EXIT, usage } from '../../failure.ts'
import { checksum } from '../../folder/checksum.ts'
import { readCache, writeCache } from '../../folder/checksum-cache.ts'
import { useLittleMemory } from '../../folder/little-memory.ts'
import { upload } from '../../folder/upload.ts'
import { type Walked, walk } from '../../folder/walk.ts'
import type { Instance } from '../../instance/instance.ts'
import type { Folder } from '../../instance/link.ts'
import { bytes, counted, duration } from '../../show/words.ts'

type Sending = Call<{ 'include-env': boolean }>

/** What would be sent, file by file. Nothing is asked of anybody. */
export async function previewFolder(call: Sending, folder: Folder): Promise<number> {
  const { out } = call
  const walked = await walkFolder(call, folder)
  const { contents, links, ignored, unsendable } = walked
  const files = [...contents.map(({ path, size }) => ({ path, size })), ...links]
  out.result({ success: true, dryRun: true, folder: folder.path, files, ignored, unsendable }, () => [
    ...contents.map(({ path, size }) => `${bytes(size).padStart(10)}  ${path}`),
    ...links.map(({ path, link }) => `      link  ${path} → ${link}`),
  ])
  out.say(`${summary(walked)}. Nothing was sent.`)
  return EXIT.ok
}

/** Sends what the instance does not have yet, and tells how it goes. */
export async function sendFolder(call: Sending, instance: Instance, folder: Folder, name: string) {
  const { out, env, signal } = call
  useLittleMemory()
  const begun = performance.now()
  const walked = await walkFolder(call, folder)
  const walkedAt = performance.now()
  out.say(`${out.paint('bold', name)}  ${summary(walked)}`)
  for (const { path, because } of walked.unsendable)
    out.warn(`${out.paint('yellow', '!')} ${path} is left out: ${because}`)
  const at = Date.now()
  const [{ contents, read }, { mode }] = await Promise.all([
    checksum(folder.path, walked.contents, await readCache(env, folder.path), signal),
    instance.api.operations.instance(),
  ])
  const hashedAt = performance.now()
  const draw = out.live()
  const onProgress = everySoOften((sent, all) => draw([`  sending ${bytes(sent)} of ${bytes(all)}`]))
  const options = {
    root: folder.path,
    contents,
    links: walked.links,
    mode: mode === 'cloud' ? ('cloud' as const) : ('local' as const),
    signal,
    onProgress,
  }
  const sent = await upload(instance, options).finally(() => draw([]))
  if (read > 0) await writeCache(env, folder.path, at, contents)
  const ended = performance.now()
  const what =
    sent.blobs === 0
      ? 'Nothing changed since the last upload'
      : `${counted(sent.blobs, 'file')} sent, ${bytes(sent.sent)}`
  out.say(`${out.paint('green', '✓')} ${what}  ${out.paint('dim', duration(ended - begun))}`)
  const timing = {
    walkMs: Math.round(walkedAt - begun),
    hashMs: Math.round(hashedAt - walkedAt),
    uploadMs: Math.round(ended - hashedAt),
    readBytes: read,
    blobs: sent.blobs,
    sent: sent.sent,
  }
  return { uploadSessionId: sent.uploadSessionId, timing }
}

async function walkFolder({ flags }: Sending, { path, file }: Folder): Promise<Walked> {
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory()) throw usage(`${path} is no folder.`)
  return walk(path, { includeEnv: flags['include-env'], include: file?.include ?? [], exclude: file?.exclude ?? [] })
}

function summary({ contents, links, ignored }: Walked): string {
  const size = contents.reduce((sum, file) => sum + file.size, 0)
  return `${counted(contents.length + links.length, 'file')}, ${bytes(size)}, ${ignored} ignored`
}

/** A terminal is drawn on ten times a second, not for each piece of a file. */
function everySoOften(draw: (sent: number, all: number) => void): (sent: number, all: number) => void {
  let last = 0
  return (sent, all) => {
    const now = performance.now()
    if (now - last < 100) return
    last = now
    draw(sent, all)
  }
}
