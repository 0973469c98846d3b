import { ApiError } from '@slipway/contract/client'
import type { Listed } from './read-folder.ts'
import { FolderTrouble } from './trouble.ts'
import type { Progress } from './upload.ts'
import type { Told } from './upload-worker.ts'

/** Sends a folder from a worker; ends with the session that is sealed. */
export function sendFolder(files: Listed[], tell: (progress: Progress) => void, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('./upload-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<string>((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    worker.addEventListener('error', () => fail(new FolderTrouble('The folder could not be read. Choose it again.')))
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if ('refused' in data) return fail(new ApiError(data.refused.status, data.refused.body))
      if ('failed' in data) return fail(data.failed === null ? new TypeError('fetch') : new FolderTrouble(data.failed))
      tell(data.progress)
      if (data.progress.phase === 'sealed') done(data.progress.uploadSessionId)
    })
    worker.postMessage(files)
  }).finally(() => worker.terminate())
}
