import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { repositoriesQuery } from '../api/platform.ts'
import { githostQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Pick } from '../ui/pick.tsx'
import { Refused } from '../ui/refused.tsx'
import { Stale } from '../ui/stale.tsx'
import { RepositoryRow } from './repository-row.tsx'
import { SearchField } from './search-field.tsx'

const route = getRouteApi('/in/git')

export function RepositoriesTab() {
  const status = useQuery(githostQuery)
  if (status.isPending) return <Bones />
  if (status.data?.state !== 'disconnected') return <Listed />
  return (
    <Empty title="No git host is connected">
      <Link to="/git" className="font-medium text-brand hover:underline">
        Connect one
      </Link>{' '}
      to see its repositories here, and to deploy every push.
    </Empty>
  )
}

function Listed() {
  const view = route.useSearch()
  const navigate = route.useNavigate()
  const { data: status } = useQuery(githostQuery)
  const list = useInfiniteQuery({ ...repositoriesQuery(view), placeholderData: keepPreviousData })
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  const owners = [...new Set(status?.accounts.map(({ login }) => login))]
  const narrow = (change: { owner?: string | undefined; q?: string | undefined }) =>
    void navigate({ search: { ...view, ...change }, replace: true })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <SearchField label="Search repositories" value={view.q ?? ''} onSearch={(q) => narrow({ q: q || undefined })} />
        <Pick
          label="Account"
          value={view.owner ?? ''}
          choices={owners.map((login) => ({ value: login, label: login }))}
          onPick={(owner) => narrow({ owner: owner || undefined })}
        />
      </div>
      <Stale query={list} />
      {list.isPending && <Bones />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data?.pages[0]?.listing.state === 'filling' && (
        <p role="status" className="pb-3 text-soft">
          The git host is asked for the first time; more repositories follow.
        </p>
      )}
      {list.data && rows.length === 0 && !list.hasNextPage && (
        <Empty title={view.q || view.owner ? 'No repository fits' : 'No repository is listed'}>
          {view.q || view.owner
            ? 'Search for another part of a name, or choose another account.'
            : 'Connect an account that has some, and that lets this instance see them.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <Card className={list.isPlaceholderData || list.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {rows.map((one) => (
              <RepositoryRow key={`${one.id} ${one.source}`} repository={one} view={view} />
            ))}
          </ul>
        </Card>
      )}
      {list.hasNextPage && (
        <div className="pt-4 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {rows.length === 0 ? 'Look further' : 'Show more'}
          </Button>
        </div>
      )}
    </>
  )
}
