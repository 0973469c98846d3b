import type { Deployment } from '@slipway/contract/deployment-shape'
import type { DeploymentDiff, ServiceDiff } from '@slipway/contract/diff'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { isRefusal, wordsOf } from '../api/client.ts'
import { changesQuery } from '../api/deployment.ts'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { listed } from './consequences.ts'

/** One of both never became a release, or is not there. */
const NONE = new Set(['not_found', 'not_now'])

/** What is different between two releases. Variables by name alone: values are shown nowhere. */
export function Changes({ deployment: { id, previous } }: { deployment: Deployment }) {
  const known = previous?.number == null ? null : previous.id
  const query = useQuery(changesQuery(id, known))
  if (query.isPending) return <Bones rows={3} />
  if (isRefusal(query.error) && NONE.has(query.error.body.code))
    return <Empty title="Nothing to compare">{wordsOf(query.error).sentence}</Empty>
  if (query.isError) return <Refused error={query.error} onRetry={() => query.refetch()} />
  const { from, to, services, hosts } = query.data
  const changed = services.filter(({ change }) => change !== 'same')
  const same = services.filter(({ change }) => change === 'same').map(({ name }) => name)
  const isNothing = changed.length === 0 && hosts.added.length + hosts.removed.length === 0
  return (
    <>
      <p className="mb-3 text-soft">
        From <Release {...from} /> to <Release {...to} />.{isNothing && ' Nothing is different.'}
      </p>
      {!isNothing && (
        <Card>
          <ul className="divide-y divide-line">
            {changed.map((one) => (
              <Service key={one.name} diff={one} />
            ))}
            <Hosts hosts={hosts} />
          </ul>
        </Card>
      )}
      {same.length > 0 && !isNothing && <p className="mt-3 text-xs text-faint">As before: {listed(same)}.</p>}
    </>
  )
}

const Release = ({ id, number }: { id: string; number: number }) => (
  <Link to="/deployments/$id" params={{ id }} className="font-medium text-ink underline underline-offset-2 num">
    #{number}
  </Link>
)

const WORDS = { added: 'New', removed: 'Gone', changed: 'Changed', same: 'As before' }

function Service({ diff }: { diff: ServiceDiff }) {
  const { name, change, image, replicas, port, variables, settings } = diff
  const names = [
    ...variables.added.map((one) => `+ ${one}`),
    ...variables.removed.map((one) => `− ${one}`),
    ...variables.changed.map((one) => `~ ${one}`),
  ]
  return (
    <li className="px-4 py-3">
      <p className="flex items-baseline gap-2">
        <b className="font-medium break-words">{name}</b>
        <span className="text-xs text-soft">{WORDS[change]}</span>
      </p>
      {change === 'changed' && (
        <dl className="mt-2 grid gap-x-4 gap-y-1 text-xs sm:grid-cols-[7rem_minmax(0,1fr)]">
          <Pair term="Image" between={image} />
          <Pair term="Replicas" between={replicas} />
          <Pair term="Port" between={port} />
          {names.length > 0 && <Term term="Variables">{<Names names={names} />}</Term>}
          {settings.length > 0 && <Term term="Settings">{settings.join(', ')}</Term>}
        </dl>
      )}
    </li>
  )
}

type Between = { from: string | number | null; to: string | number | null } | null

function Pair({ term, between }: { term: string; between: Between }) {
  if (!between) return null
  return (
    <Term term={term}>
      <span className="font-mono">{between.from ?? 'none'}</span> →{' '}
      <span className="font-mono">{between.to ?? 'none'}</span>
    </Term>
  )
}

const Term = ({ term, children }: { term: string; children: ReactNode }) => (
  <>
    <dt className="text-faint">{term}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)

const Names = ({ names }: { names: string[] }) =>
  names.map((name) => (
    <Fragment key={name}>
      <span className="font-mono">{name}</span>
      <br />
    </Fragment>
  ))

function Hosts({ hosts: { added, removed } }: Pick<DeploymentDiff, 'hosts'>) {
  if (added.length + removed.length === 0) return null
  return (
    <li className="px-4 py-3">
      <b className="font-medium">Names</b>
      <p className="mt-1 text-xs break-words">
        <Names names={[...added.map((host) => `+ ${host}`), ...removed.map((host) => `− ${host}`)]} />
      </p>
    </li>
  )
}
