import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { tokensQuery } from '../api/platform.ts'
import { projectsQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { ShowOnce } from '../ui/forms/show-once.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { type MadeToken, NewToken } from './new-token.tsx'
import { TokenRow } from './token-row.tsx'

const route = getRouteApi('/in/settings')

export function TokensTab() {
  const { make } = route.useSearch()
  const navigate = route.useNavigate()
  const may = useMay()
  const [made, setMade] = useState<MadeToken | null>(null)
  const show = (isMaking: boolean) =>
    void navigate({ search: { tab: 'tokens', make: isMaking ? 'token' : undefined }, replace: !isMaking })
  const done = (token: MadeToken) => {
    show(false)
    setMade(token)
  }
  return (
    <Section
      title="Access tokens"
      note="For programs: the command line, build servers, scripts. A token can never do more than the person who made it."
      action={
        make === undefined && (
          <GatedButton look="primary" reason={may('token:write')} onClick={() => show(true)}>
            <KeyRound size={14} aria-hidden /> Make a token
          </GatedButton>
        )
      }
    >
      {make && <NewToken onDone={done} onClose={() => show(false)} />}
      <TokenList />
      {made && (
        <ShowOnce
          title={`The token ${made.name}`}
          note="It is shown this once: nobody can read it later, also not here."
          secret={made.secret}
          what="the token"
          onClose={() => setMade(null)}
        />
      )}
    </Section>
  )
}

function TokenList() {
  const list = useInfiniteQuery(tokensQuery)
  const { data: projects = [] } = useQuery(projectsQuery)
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <>
      <Stale query={list} />
      {list.isPending && <Bones rows={3} />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data && rows.length === 0 && (
        <Empty title="There are no access tokens">A build server needs one, and so does the command line.</Empty>
      )}
      {rows.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {rows.map((token) => (
              <TokenRow key={token.id} token={token} project={token.projectId && (names.get(token.projectId) ?? '')} />
            ))}
          </ul>
        </Card>
      )}
      <ShowOlder list={list} />
    </>
  )
}
