import type { Preparation } from '@slipway/contract/prepare'
import { type Draft, foundIn, type Row, rowsOf } from './draft.ts'
import { InputRow } from './form-row.tsx'
import type { Problems } from './problems-of.ts'
import type { Source } from './source.ts'

const LABELS: Record<Row, string> = {
  installCommand: 'Install',
  buildCommand: 'Build',
  startCommand: 'Start',
  outputDirectory: 'Output',
  port: 'Port',
}
const NOTHING: Record<Row, string> = {
  installCommand: 'nothing to install',
  buildCommand: 'nothing to build',
  startCommand: 'as the image starts',
  outputDirectory: 'the folder itself',
  port: 'found out when it runs',
}

type Props = {
  plan: Preparation | null
  source: Source
  draft: Draft
  problems: Problems
  onChange(part: Partial<Draft>): void
}

/** Each row may be written in. What is empty is as it was found. */
export function PlanRows({ plan, source, draft: { edits }, problems, onChange }: Props) {
  return rowsOf(plan, source).map((row) => {
    const found = foundIn(plan, row)
    const text = edits[row] ?? found
    const set = (said: string | undefined) => onChange({ edits: { ...edits, [row]: said } })
    return (
      <InputRow
        key={row}
        label={LABELS[row]}
        mono
        value={text}
        placeholder={found || NOTHING[row]}
        problem={problems[row]}
        {...(row === 'port' && {
          inputMode: 'numeric' as const,
          pattern: '[0-9]{1,5}',
          title: 'A number from 1 to 65535',
        })}
        onChange={({ currentTarget }) => set(currentTarget.value)}
        onBlur={() => text.trim() === '' && set(undefined)}
        onBack={text.trim() !== '' && text !== found ? () => set(undefined) : null}
      />
    )
  })
}
