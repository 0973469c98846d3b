import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { repositoriesQuery } from '../api/new.ts'
import { githostQuery, projectsQuery } from '../api/queries.ts'
import { Command } from '../setup/command.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { BranchStep } from './branch-step.tsx'
import { RepositoryRow } from './repository-row.tsx'
import type { Source } from './source.ts'

/** `below` is shown when what stands above it is there, so that it does not move. */
type Props = { onSource(source: Source): void; below: ReactNode }

/** Account, search, list; then the branch. */
export function RepositorySource({ onSource, below }: Props) {
  const status = useQuery(githostQuery)
  const { owner, repo } = useSearch({ from: '/in/new' })
  if (status.isPending) return <Bones rows={4} />
  const { data } = status
  if (data && data.state !== 'disconnected' && !(owner && repo))
    return <Listing accounts={data.accounts.map(({ login }) => login)} below={below} />
  return (
    <>
      {status.isError && <Refused error={status.error} onRetry={() => status.refetch()} />}
      {data?.state === 'disconnected' && <NotConnected />}
      {data && data.state !== 'disconnected' && owner && repo && (
        <BranchStep owner={owner} repo={repo} onSource={onSource} />
      )}
      {below}
    </>
  )
}

const NotConnected = () => (
  <Empty title="No git host is connected">
    <p>
      <a href="/git" className="font-medium text-brand hover:underline">
        Connect one
      </a>{' '}
      to choose from its repositories and to deploy every push. The same from a terminal:
    </p>
    <div className="mt-4 text-left">
      <Command text="slipway git connect" />
    </div>
  </Empty>
)

/** Typing goes into the page at once, and into the address and the question when it stops. */
const TYPED_MS = 300

function Listing({ accounts, below }: { accounts: string[]; below: ReactNode }) {
  const { owner, q } = useSearch({ from: '/in/new' })
  const navigate = useNavigate()
  const [typed, setTyped] = useState(q ?? '')
  useEffect(() => {
    if (typed === (q ?? '')) return
    const timer = setTimeout(
      () => void navigate({ to: '/new', search: (now) => ({ ...now, q: typed || undefined }), replace: true }),
      TYPED_MS,
    )
    return () => clearTimeout(timer)
  }, [typed, q, navigate])
  const pick = (login: string) =>
    void navigate({ to: '/new', search: (now) => ({ ...now, owner: login || undefined }), replace: true })
  const list = useRepositories(owner, q)
  return (
    <>
      <Card>
        <div className="grid gap-3 border-b border-line p-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
          <Choice
            label="Account"
            value={owner ?? ''}
            choices={[
              { value: '', label: 'Every account' },
              ...accounts.map((login) => ({ value: login, label: login })),
            ]}
            onChange={({ currentTarget }) => pick(currentTarget.value)}
          />
          <Field
            label="Search"
            type="search"
            value={typed}
            placeholder="Part of a name"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </div>
        <Repositories list={list} />
      </Card>
      {!list.isPending && below}
    </>
  )
}

const useRepositories = (owner: string | undefined, q: string | undefined) =>
  useInfiniteQuery(repositoriesQuery({ owner, q }))

function Repositories({ list }: { list: ReturnType<typeof useRepositories> }) {
  const { data: projects = [] } = useQuery(projectsQuery)
  if (list.isPending) return <Bones rows={5} />
  if (list.isLoadingError) return <Refused error={list.error} className="m-4" onRetry={() => list.refetch()} />
  const found = list.data?.pages.flatMap((page) => page.data) ?? []
  const isFilling = list.data?.pages[0]?.listing.state === 'filling'
  return (
    <>
      {found.length === 0 && (
        <p className="p-6 text-center text-soft">
          {isFilling ? 'The repositories are being listed.' : 'No repository fits.'}
        </p>
      )}
      <ul className="divide-y divide-line">
        {found.map((one) => (
          <RepositoryRow key={one.id} repository={one} projects={projects} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
