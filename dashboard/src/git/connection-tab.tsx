import type { GithostAccount, GithostProblem } from '@slipway/contract/githost-shape'
import { useQuery } from '@tanstack/react-query'
import { Building2, UserRound } from 'lucide-react'
import { githostQuery } from '../api/queries.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Caution, Tag } from '../ui/tag.tsx'
import { ConnectPanel } from './connect-panel.tsx'
import { Disconnect } from './disconnect.tsx'
import { SOURCE_WORDS, STATE_WORDS } from './words.ts'

export function ConnectionTab() {
  const status = useQuery(githostQuery)
  const { data } = status
  return (
    <>
      <Stale query={status} />
      {status.isPending && <Bones rows={3} />}
      {status.isLoadingError && <Refused error={status.error} onRetry={() => status.refetch()} />}
      {data && (
        <>
          <Section
            title={data.host}
            action={<Tag tone={STATE_WORDS[data.state].tone}>{STATE_WORDS[data.state].word}</Tag>}
          >
            <div className="space-y-3">
              {data.problems.map((problem) => (
                <Problem key={`${problem.source} ${problem.code}`} problem={problem} />
              ))}
              {data.cloudUnreachable && (
                <Caution>The linked cloud cannot be reached. What goes through its app waits until it answers.</Caution>
              )}
              {data.accounts.length > 0 && <Accounts accounts={data.accounts} />}
              {data.state === 'disconnected' && (
                <p className="max-w-prose text-soft text-pretty">
                  Without a connection, public repositories can be deployed, but nothing tells of pushes to them.
                </p>
              )}
            </div>
          </Section>
          <ConnectPanel status={data} />
          {data.state !== 'disconnected' && <Disconnect accounts={data.accounts} host={data.host} />}
        </>
      )}
    </>
  )
}

const Problem = ({ problem: { message, hint } }: { problem: GithostProblem }) => (
  <Caution>{`${message} ${hint}`}</Caution>
)

function Accounts({ accounts }: { accounts: GithostAccount[] }) {
  return (
    <Card>
      <ul aria-label="Accounts" className="divide-y divide-line">
        {accounts.map(({ login, type, source }) => {
          const Sign = type === 'organization' ? Building2 : UserRound
          return (
            <li key={`${login} ${source}`} className="flex items-center gap-3 px-4 py-3">
              <Sign size={16} className="shrink-0 text-faint" aria-hidden />
              <span className="min-w-0 flex-1 font-medium break-words">{login}</span>
              <span className="text-xs text-soft">{SOURCE_WORDS[source]}</span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
