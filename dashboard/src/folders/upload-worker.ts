import { ApiError } from '@slipway/contract/client'
import type { Listed } from './read-folder.ts'
import { FolderTrouble } from './trouble.ts'
import { type Progress, upload } from './upload.ts'

/** `failed` null: nobody answered. */
export type Told =
  | { progress: Progress }
  | { refused: { status: number; body: ApiError['body'] } }
  | { failed: string | null }

/** A page draws at most so often; each message would cost it a frame. */
const EVERY_MS = 60

/** Hashes and sends away from the page: it stays quick while fifty thousand files go by. */
addEventListener('message', async ({ data }: MessageEvent<Listed[]>) => {
  let last = 0
  let phase: Progress['phase'] | undefined
  const tell = (progress: Progress) => {
    const now = performance.now()
    if (progress.phase === phase && now - last < EVERY_MS) return
    ;[last, phase] = [now, progress.phase]
    postMessage({ progress } satisfies Told)
  }
  try {
    await upload(data, tell)
  } catch (error) {
    if (error instanceof ApiError) postMessage({ refused: { status: error.status, body: error.body } } satisfies Told)
    else postMessage({ failed: error instanceof FolderTrouble ? error.message : null } satisfies Told)
  }
})
