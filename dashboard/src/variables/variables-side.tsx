import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { ClipboardPaste, Plus } from 'lucide-react'
import { useState } from 'react'
import { variablesQuery } from '../api/projects.ts'
import { useMay } from '../api/use-may.ts'
import { Button } from '../ui/button.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { PasteEnv } from './paste-env.tsx'
import { PendingChanges } from './pending-changes.tsx'
import { RemoveVariable } from './remove-variable.tsx'
import { RevealButton } from './reveal-button.tsx'
import { usePending } from './use-pending.ts'
import type { Revealed } from './use-reveal.ts'
import { useReveal } from './use-reveal.ts'
import { keyOf, type Variable } from './variable.ts'
import { VariableForm } from './variable-form.tsx'
import { VariableRow } from './variable-row.tsx'

type Over = { kind: 'add' } | { kind: 'paste' } | { kind: 'change' | 'remove'; variable: Variable } | null

/** What a project is told by its environment: names here, values only for those who may and ask. */
export function VariablesSide({ project }: { project: Project }) {
  const [over, setOver] = useState<Over>(null)
  const query = useQuery(variablesQuery(project.id))
  const reveal = useReveal(project.id)
  const close = () => setOver(null)
  const variables = query.data ?? []
  return (
    <Section
      title="Variables"
      note="A change takes effect with the next deployment: what runs keeps the values that it was started with."
      action={<Add isThere={variables.length > 0} reveal={reveal} onOver={setOver} />}
    >
      <Stale query={query} />
      <PendingChanges project={project} />
      {query.isPending && <Bones rows={4} />}
      {query.isLoadingError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty title="No variables yet">Add one, or paste an .env file. Values are sealed where they are kept.</Empty>
      )}
      {variables.length > 0 && (
        <List project={project} variables={variables} values={reveal.values} isOld={query.isError} onOver={setOver} />
      )}
      {over?.kind === 'add' && <VariableForm projectId={project.id} variable={null} onClose={close} />}
      {over?.kind === 'paste' && <PasteEnv projectId={project.id} known={variables} onClose={close} />}
      {over?.kind === 'change' && <VariableForm projectId={project.id} variable={over.variable} onClose={close} />}
      {over?.kind === 'remove' && <RemoveVariable projectId={project.id} variable={over.variable} onClose={close} />}
    </Section>
  )
}

type AddProps = { isThere: boolean; reveal: ReturnType<typeof useReveal>; onOver(over: Over): void }

function Add({ isThere, reveal, onOver }: AddProps) {
  const reason = useMay()('project:write')
  return (
    <div className="flex flex-wrap items-start gap-2">
      {isThere && <RevealButton reveal={reveal} />}
      <Button disabled={reason !== null} onClick={() => onOver({ kind: 'paste' })}>
        <ClipboardPaste size={14} aria-hidden /> Paste an .env
      </Button>
      <GatedButton look="primary" reason={reason} onClick={() => onOver({ kind: 'add' })}>
        <Plus size={14} aria-hidden /> Add
      </GatedButton>
    </div>
  )
}

type ListProps = {
  project: Project
  variables: Variable[]
  values: Revealed | null
  isOld: boolean
  onOver(over: Over): void
}

function List({ project, variables, values, isOld, onOver }: ListProps) {
  const pending = usePending(project)
  return (
    <Card className={isOld ? 'opacity-60' : ''}>
      <ul className="divide-y divide-line">
        {variables
          .toSorted((a, b) => a.name.localeCompare(b.name) || (a.service ?? '').localeCompare(b.service ?? ''))
          .map((variable) => (
            <VariableRow
              key={keyOf(variable)}
              variable={variable}
              pending={pending.get(keyOf(variable))}
              serves={project.active?.number}
              value={values?.get(keyOf(variable))}
              onChange={() => onOver({ kind: 'change', variable })}
              onRemove={() => onOver({ kind: 'remove', variable })}
            />
          ))}
      </ul>
    </Card>
  )
}
