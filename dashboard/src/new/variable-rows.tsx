import { ClipboardPaste, Plus, X } from 'lucide-react'
import { type ClipboardEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/in-words.ts'
import { type Pair, readEnv } from '../variables/read-env.ts'
import { withVariables } from './draft.ts'
import { Row } from './form-row.tsx'

type Props = { variables: Pair[]; problem: string | undefined; onChange(variables: Pair[]): void }

/** Names that were found in files that stay where they are, to be filled in; a whole .env can be pasted. */
export function VariableRows({ variables, problem, onChange }: Props) {
  const [isPasting, setPasting] = useState(false)
  const set = (at: number, part: Partial<Pair>) =>
    onChange(variables.map((one, other) => (other === at ? { ...one, ...part } : one)))
  const take = (text: string): boolean => {
    const found = readEnv(text)
    if (found.length > 0) onChange(withVariables(variables, found))
    return found.length > 0
  }
  const empty = variables.filter(({ value }) => value === '').length
  return (
    <Row label="Variables">
      <ul className="space-y-2">
        {variables.map(({ name, value }, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
            key={at}
            className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
          >
            <Cell
              label={`Name of variable ${at + 1}`}
              value={name}
              placeholder="NAME"
              isAlone
              onSay={(said) => set(at, { name: said })}
              onPaste={(text) => text.includes('\n') && take(text)}
            />
            <Cell
              label={`Value of ${name || `variable ${at + 1}`}`}
              value={value}
              onSay={(said) => set(at, { value: said })}
            />
            <Button
              size="icon"
              look="quiet"
              aria-label={`Leave ${name || 'this one'} out`}
              onClick={() => onChange(variables.filter((_, other) => other !== at))}
            >
              <X size={14} aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {empty > 0 && (
        <p className="mt-1.5 text-xs text-faint">
          {counted(empty, 'name')} without a value: not set unless you fill it in.
        </p>
      )}
      {problem && <p className="mt-1.5 text-xs text-bad">{problem}</p>}
      {isPasting && <PasteBox onTake={take} onClose={() => setPasting(false)} />}
      <div className={`flex flex-wrap gap-2 ${variables.length > 0 || isPasting ? 'mt-2' : ''}`}>
        <Button size="sm" onClick={() => onChange([...variables, { name: '', value: '' }])}>
          <Plus size={13} aria-hidden /> Add
        </Button>
        {!isPasting && (
          <Button size="sm" onClick={() => setPasting(true)}>
            <ClipboardPaste size={13} aria-hidden /> Paste a .env
          </Button>
        )}
      </div>
    </Row>
  )
}

type CellProps = {
  label: string
  value: string
  placeholder?: string
  /** In a row of its own where there is little room. */
  isAlone?: boolean
  onSay(text: string): void
  onPaste?: (text: string) => boolean
}

function Cell({ label, value, placeholder = 'value', isAlone = false, onSay, onPaste }: CellProps) {
  const paste = (event: ClipboardEvent) => {
    if (onPaste?.(event.clipboardData.getData('text'))) event.preventDefault()
  }
  return (
    <input
      aria-label={label}
      value={value}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => onSay(currentTarget.value)}
      onPaste={paste}
      className={`h-9 min-w-0 rounded-md border border-line bg-surface px-2.5 font-mono text-base placeholder:text-faint hover:border-line-strong pointer-coarse:h-11 sm:text-xs ${isAlone ? 'max-sm:col-span-2' : ''}`}
    />
  )
}

function PasteBox({ onTake, onClose }: { onTake(text: string): boolean; onClose(): void }) {
  const [text, setText] = useState('')
  const [isEmpty, setEmpty] = useState(false)
  const take = () => (onTake(text) ? onClose() : setEmpty(true))
  return (
    <div className="mt-2">
      <textarea
        aria-label="Text of a .env file"
        rows={5}
        spellCheck={false}
        value={text}
        placeholder={'DATABASE_URL=postgres://…\nTOKEN=…'}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        className="w-full rounded-md border border-line-strong bg-surface p-2.5 font-mono text-base placeholder:text-faint sm:text-xs"
      />
      {isEmpty && <p className="text-xs text-bad">There is no NAME=value in it.</p>}
      <div className="mt-1 flex gap-2">
        <Button size="sm" look="primary" onClick={take}>
          Take them
        </Button>
        <Button size="sm" look="quiet" onClick={onClose}>
          Leave it
        </Button>
      </div>
    </div>
  )
}
