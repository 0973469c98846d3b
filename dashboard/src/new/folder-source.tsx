import { useEffect } from 'react'
import { useMay } from '../api/use-may.ts'
import { DropZone } from '../folders/drop-zone.tsx'
import { takeHanded } from '../folders/handed-over.ts'
import { UploadNote } from '../folders/upload-note.tsx'
import { useUpload } from '../folders/use-upload.ts'
import type { Source } from './source.ts'

/** A folder session belongs to no project yet: what is sent is kept for a while, and nothing else is made by it. */
export function FolderSource({ onSource }: { onSource(source: Source): void }) {
  const { state, begin, again, leave } = useUpload()
  const may = useMay()
  useEffect(() => {
    const handed = takeHanded()
    if (handed) void begin(handed)
  })
  useEffect(() => {
    if (state.step !== 'sealed') return
    const { folder, progress } = state
    onSource({
      kind: 'folder',
      folder,
      uploadSessionId: progress.uploadSessionId,
      sent: progress.sent,
      sentBytes: progress.sentBytes,
    })
  }, [state, onSource])
  return (
    <DropZone onFolder={(entries) => void begin(entries)} reason={may('project:write')}>
      <UploadNote state={state} onAgain={(folder) => void again(folder)} onLeave={leave} />
    </DropZone>
  )
}
