import { useEffect, useRef, useState } from 'react'
import type { Entry } from './entry.ts'
import { type ReadFolder, readFolder } from './read-folder.ts'
import { sendFolder } from './send-folder.ts'
import { FolderTrouble } from './trouble.ts'
import type { Progress } from './upload.ts'

export type UploadState =
  | { step: 'none' }
  | { step: 'listing'; found: number }
  | { step: 'sending'; folder: ReadFolder; progress: Progress | null }
  | { step: 'sealed'; folder: ReadFolder; progress: Extract<Progress, { phase: 'sealed' }> }
  | { step: 'failed'; folder: ReadFolder | null; error: unknown }

/** A folder on its way to the server. `again`: after it broke off, from where it was. */
export function useUpload() {
  const [state, setState] = useState<UploadState>({ step: 'none' })
  const under = useRef<AbortController | null>(null)
  useEffect(() => () => under.current?.abort(), [])

  const run = async (work: (signal: AbortSignal, hold: (folder: ReadFolder) => void) => Promise<void>) => {
    under.current?.abort()
    const controller = new AbortController()
    const { signal } = controller
    under.current = controller
    let folder: ReadFolder | null = null
    try {
      await work(signal, (now) => {
        folder = now
      })
    } catch (error) {
      if (!signal.aborted) setState({ step: 'failed', folder, error })
    }
  }
  const send = async (folder: ReadFolder, signal: AbortSignal) => {
    setState({ step: 'sending', folder, progress: null })
    const tell = (progress: Progress) => {
      if (signal.aborted) return
      setState(
        progress.phase === 'sealed' ? { step: 'sealed', folder, progress } : { step: 'sending', folder, progress },
      )
    }
    await sendFolder(folder.files, tell, signal)
  }
  const begin = (entries: Entry[]) =>
    run(async (signal, hold) => {
      setState({ step: 'listing', found: 0 })
      const folder = await readFolder(entries, (found) => {
        if (!signal.aborted && found % 100 === 0) setState({ step: 'listing', found })
      })
      signal.throwIfAborted()
      hold(folder)
      if (folder.files.length === 0) throw new FolderTrouble(EMPTY)
      await send(folder, signal)
    })
  const again = (folder: ReadFolder) =>
    run((signal, hold) => {
      hold(folder)
      return send(folder, signal)
    })
  const leave = () => {
    under.current?.abort()
    setState({ step: 'none' })
  }
  return { state, begin, again, leave }
}

const EMPTY =
  'There is nothing in it that could be sent. A whole folder is needed, with files that the ignore rules do not leave out.'
