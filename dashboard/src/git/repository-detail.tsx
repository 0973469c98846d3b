import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { repositoryQuery } from '../api/platform.ts'
import { Refused } from '../ui/refused.tsx'
import { Age } from '../ui/time.tsx'
import { Hooks } from './hooks.tsx'
import { Outside } from './outside.tsx'
import { PUSH_WORDS } from './words.ts'

type Props = { owner: string; name: string; url: string }

/** What deploys it, how its pushes are learned of, and its hooks. */
export function RepositoryDetail({ owner, name, url }: Props) {
  const repository = useQuery(repositoryQuery(owner, name))
  const { data } = repository
  return (
    <div className="space-y-4 border-t border-line bg-sunken px-4 py-4 sm:pl-11">
      {repository.isPending && <p className="text-soft">Asking the git host…</p>}
      <Refused error={repository.error} onRetry={() => repository.refetch()} />
      {data && (
        <>
          <p className="text-pretty">
            {PUSH_WORDS[data.push.via]}{' '}
            {data.push.lastDeliveryAt ? (
              <>
                The last delivery came <Age at={data.push.lastDeliveryAt} />.
              </>
            ) : (
              'No delivery has come yet.'
            )}
          </p>
          <p className="text-soft">
            {data.linkedProjects.length === 0 ? 'No project deploys it.' : 'Deployed by '}
            {data.linkedProjects.map(({ id, name: project }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link
                  to="/projects/$id"
                  params={{ id }}
                  className="font-medium text-brand underline underline-offset-4"
                >
                  {project}
                </Link>
              </span>
            ))}
          </p>
          <Hooks owner={owner} name={name} />
        </>
      )}
      <p className="flex flex-wrap gap-x-5 gap-y-1">
        <Link
          to="/git"
          search={{ tab: 'deliveries', repo: `${owner}/${name}` }}
          className="inline-flex items-center font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11"
        >
          Its deliveries
        </Link>
        <Outside href={url}>At the git host</Outside>
      </p>
    </div>
  )
}
