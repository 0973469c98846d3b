import { FolderCheck, GitBranch, Package } from 'lucide-react'
import { useState } from 'react'
import type { ReadFolder } from '../folders/read-folder.ts'
import { Button } from '../ui/button.tsx'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import { counted } from '../ui/in-words.ts'
import { Card } from '../ui/page.tsx'
import type { Source } from './source.ts'

/** The first step, folded up: what was chosen, and the way to choose something else. */
export function ChosenLine({ source, onOther }: { source: Source; onOther(): void }) {
  const { icon: Icon, title, note } = wordsOf(source)
  return (
    <Card className="mb-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <Icon size={18} className="shrink-0 text-ok" aria-hidden />
        <p className="min-w-0 flex-1 basis-60">
          <span className="font-medium break-words">{title}</span> <span className="text-soft num">{note}</span>
        </p>
        <Button size="sm" onClick={onOther}>
          Choose another
        </Button>
      </div>
      {source.kind === 'folder' && <LeftOut folder={source.folder} />}
    </Card>
  )
}

function wordsOf(source: Source) {
  if (source.kind === 'image') return { icon: Package, title: source.image, note: '' }
  if (source.kind === 'repository') return { icon: GitBranch, title: source.repository.fullName, note: source.branch }
  const { folder, sent, sentBytes } = source
  const how = sent === 0 ? 'nothing had to be sent' : `${sent.toLocaleString('en')} sent, ${bytesInWords(sentBytes)}`
  return {
    icon: FolderCheck,
    title: folder.name || 'Files',
    note: `${counted(folder.files.length, 'file')}, ${bytesInWords(folder.bytes)} · ${how}`,
  }
}

const MOST_NAMED = 3
const MOST_SHOWN = 200

/** What stays with whoever dropped it, so that nobody looks for it later. */
function LeftOut({ folder: { leftOut, unsendable, said } }: { folder: ReadFolder }) {
  const [isOpen, setOpen] = useState(false)
  const all = [...unsendable.map(({ path, because }) => `${path}: ${because}`), ...leftOut]
  if (all.length === 0 && !said.problem) return null
  const named = all.slice(0, MOST_NAMED).join(', ')
  return (
    <div className="border-t border-line px-4 py-2.5 text-xs text-soft">
      {said.problem && <p className="mb-1 break-words text-ask">{said.problem}</p>}
      {all.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-words">
            Left out: {named}
            {all.length > MOST_NAMED && ` and ${(all.length - MOST_NAMED).toLocaleString('en')} more`}
          </span>
          {all.length > MOST_NAMED && (
            <Button size="sm" look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide' : 'Show'}
            </Button>
          )}
        </p>
      )}
      {isOpen && (
        <ul className="thin-scroll mt-2 max-h-48 overflow-y-auto font-mono text-2xs" aria-label="Left out">
          {all.slice(0, MOST_SHOWN).map((path) => (
            <li key={path} className="break-all">
              {path}
            </li>
          ))}
          {all.length > MOST_SHOWN && <li>and {(all.length - MOST_SHOWN).toLocaleString('en')} more</li>}
        </ul>
      )}
    </div>
  )
}
