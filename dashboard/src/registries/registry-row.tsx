import type { Registry } from '@slipway/contract/registries'
import { useQuery } from '@tanstack/react-query'
import { MoreHorizontal, PencilLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { registriesQuery } from '../api/platform.ts'
import { projectsQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Refused } from '../ui/refused.tsx'
import { Badge, Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'

type Props = { registry: Registry; onChange(): void }

export function RegistryRow({ registry, onChange }: Props) {
  const { id, host, path, username, projectId, lastCheckedAt, lastCheckError } = registry
  const may = useMay()
  const { data: projects = [] } = useQuery(projectsQuery)
  const check = useWrite({
    send: (_, headers) => api.registries.check({ params: { id }, headers }),
    refresh: [registriesQuery.queryKey],
  })
  const name = path ? `${host}/${path}` : host
  const project = projects.find((one) => one.id === projectId)?.name
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-all">{name}</span>
          {projectId && <Badge>{project ? `only ${project}` : 'one project'}</Badge>}
        </p>
        <p className="mt-0.5 text-xs text-faint">
          as <span className="font-mono">{username}</span>
          {lastCheckedAt && (
            <>
              {' '}
              · asked <Age at={lastCheckedAt} />
            </>
          )}
        </p>
        {lastCheckError && <p className="mt-1 text-xs text-bad text-pretty">{lastCheckError}</p>}
      </div>
      {lastCheckedAt && <Tag tone={lastCheckError ? 'bad' : 'ok'}>{lastCheckError ? 'Refused' : 'Works'}</Tag>}
      <GatedButton
        size="sm"
        reason={may('registry:write')}
        busy={check.isPending}
        aria-label={`Check ${name}`}
        onClick={() => check.mutate()}
      >
        Check
      </GatedButton>
      <RowMenu registry={registry} name={name} onChange={onChange} />
      <Refused error={check.error} className="basis-full" />
    </li>
  )
}

function RowMenu({ registry: { id }, name, onChange }: Props & { name: string }) {
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite({
    send: (_, headers) => api.registries.remove({ params: { id }, headers }),
    refresh: [registriesQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    remove.begin()
    setAsking(true)
  }
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={[
          { label: 'Change', icon: <PencilLine size={14} />, reason: may('registry:write'), onSelect: onChange },
          { label: 'Remove', icon: <Trash2 size={14} />, reason: may('registry:admin'), danger: true, onSelect: ask },
        ]}
        trigger={
          <Button size="icon" look="quiet">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
      <Confirm
        open={isAsking}
        title={`Forget ${name}?`}
        consequences={[
          'Deployments that need an image from there fail until there is another credential.',
          'What runs goes on, and nothing is deleted at the registry.',
        ]}
        verb="Forget it"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
