import type { Project } from '@slipway/contract/projects'
import type { Server } from '@slipway/contract/servers'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { instanceQuery } from '../api/queries.ts'
import type { Draft } from './draft.ts'
import { InputRow, Row } from './form-row.tsx'
import type { Problems } from './problems-of.ts'
import { addressInWords, labelOf } from './source.ts'

type Props = {
  draft: Draft
  /** The one that it is deployed to; null: it will be made. */
  project: Project | null
  servers: Server[] | undefined
  problems: Problems
  onChange(part: Partial<Draft>): void
}

/** What it is called, where it runs, and by which name it is reached. */
export function PlaceRows({ draft, project, servers, problems, onChange }: Props) {
  return (
    <>
      {project ? (
        <Row label="Project">
          <p className="pt-2 font-medium break-words max-sm:pt-0">{project.name}</p>
        </Row>
      ) : (
        <InputRow
          label="Project"
          required
          maxLength={80}
          value={draft.name}
          problem={problems.name}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      )}
      <ServerRow
        servers={servers}
        chosen={draft.serverId}
        problem={problems.server}
        onPick={(serverId) => onChange({ serverId })}
      />
      {!project?.active && (
        <AddressRow draft={draft} project={project} problem={problems.address} onChange={onChange} />
      )}
    </>
  )
}

type AddressProps = Pick<Props, 'draft' | 'project' | 'onChange'> & { problem: string | undefined }

/** The first part is typed, the whole of it is said. */
function AddressRow({ draft, project, problem, onChange }: AddressProps) {
  const { data: instance } = useQuery(instanceQuery)
  const usual = labelOf(project?.name ?? draft.name)
  return (
    <InputRow
      label="Address"
      mono
      value={draft.label}
      placeholder={usual}
      pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
      title="Lower-case letters, digits and dashes"
      hint={addressInWords(draft.label || usual, project?.target === 'cloud' ? undefined : instance?.baseDomain)}
      problem={problem}
      onChange={({ currentTarget }) => onChange({ label: currentTarget.value })}
    />
  )
}

type ServerProps = {
  servers: Server[] | undefined
  chosen: string | null
  problem: string | undefined
  onPick(id: string): void
}

function ServerRow({ servers, chosen, problem, onPick }: ServerProps) {
  const id = useId()
  // Not known yet, or not to this person: the server chooses then.
  if (servers === undefined) return null
  const [only] = servers
  if (servers.length <= 1)
    return (
      <Row label="Server">
        <p className="pt-2 break-words max-sm:pt-0">
          {only ? wordsOf(only) : 'None yet. '}
          {!only && (
            <Link to="/servers" className="font-medium text-brand hover:underline">
              Add one
            </Link>
          )}
        </p>
        {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
      </Row>
    )
  return (
    <Row label={<label htmlFor={id}>Server</label>}>
      <select
        id={id}
        value={chosen ?? ''}
        aria-invalid={problem ? true : undefined}
        onChange={({ currentTarget }) => onPick(currentTarget.value)}
        className="h-9 w-full rounded-md border border-line bg-surface px-2 text-base hover:border-line-strong pointer-coarse:h-11 sm:text-sm"
      >
        {servers.map((server) => (
          <option key={server.id} value={server.id}>
            {wordsOf(server)}
          </option>
        ))}
      </select>
      {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
    </Row>
  )
}

function wordsOf({ name, kind, host, lastReport }: Server): string {
  const where = kind === 'local' ? 'this machine' : host
  const how = lastReport === null ? 'not looked at yet' : lastReport.ok ? '' : 'its last check failed'
  return [`${name} (${where})`, how].filter(Boolean).join(', ')
}
