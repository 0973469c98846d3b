import type { TarEntry } from './untar.ts'

export type FileEntry = TarEntry & { kind: 'file' }
type Keep = (entry: FileEntry, content: AsyncIterable<Uint8Array>) => Promise<void>

const SMALL = 128 * 1024

/** A small file of an archive is read into memory, so that the archive can go on while it is written; a large one as it comes. */
export async function keepEntry(writes: ReturnType<typeof fewAtOnce>, entry: FileEntry, keep: Keep): Promise<void> {
  if (entry.size > SMALL) return keep(entry, entry.content)
  const chunks: Buffer[] = []
  for await (const chunk of entry.content) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  await writes.start(() => keep(entry, once(content)))
}

async function* once(content: Buffer) {
  yield content
}

/** Runs works side by side, at most so many: a sync to disk costs little when others share it. */
export function fewAtOnce(most: number) {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const throwFailure = () => {
    if (failure) throw failure.error
  }
  return {
    /** Waits for a free place; throws what an earlier work threw. */
    async start(work: () => Promise<void>): Promise<void> {
      if (running.size >= most) await Promise.race(running)
      throwFailure()
      const job = work()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(job))
      running.add(job)
    },
    async finish(): Promise<void> {
      await Promise.all(running)
      throwFailure()
    },
  }
}
