import { useState } from 'react'
import { api } from '../api/client.ts'
import { type Token, tokensQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Code } from '../ui/page.tsx'
import { Badge, Tag } from '../ui/tag.tsx'
import { Age, useNow } from '../ui/time.tsx'

/** `project`: the name of the one it is for; null: it is for all. */
export function TokenRow({ token, project }: { token: Token; project: string | null }) {
  const { name, hint, scopes, createdBy, createdAt, lastUsedAt, expiresAt } = token
  const isOver = useNow() > Date.parse(expiresAt ?? '')
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          <Code>{`${hint}…`}</Code>
          {project !== null && <Badge>{project === '' ? 'one project' : `only ${project}`}</Badge>}
          {isOver && <Tag tone="bad">Expired</Tag>}
        </p>
        <p className="mt-0.5 text-xs text-faint text-pretty">
          {scopes === null ? 'everything that its maker may' : <Scopes scopes={scopes} />} · by {createdBy.name},{' '}
          <Age at={createdAt} />
        </p>
      </div>
      <p className="text-xs text-soft max-sm:w-full sm:text-right">
        {lastUsedAt ? (
          <>
            used <Age at={lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
        <span className="block text-faint max-sm:ml-2 max-sm:inline">
          {expiresAt ? `${isOver ? 'ended' : 'until'} ${new Date(expiresAt).toLocaleDateString()}` : 'does not expire'}
        </span>
      </p>
      <Revoke token={token} />
    </li>
  )
}

/** A few are named; many are counted, and named to who asks. */
function Scopes({ scopes }: { scopes: NonNullable<Token['scopes']> }) {
  if (scopes.length <= 4) return <span className="font-mono">{scopes.join(', ')}</span>
  return (
    <details className="inline-block align-top">
      <summary className="cursor-pointer text-soft underline decoration-dotted underline-offset-2">
        {scopes.length} permissions
      </summary>
      <span className="mt-1 block max-w-prose font-mono break-words">{scopes.join(', ')}</span>
    </details>
  )
}

function Revoke({ token: { id, name, lastUsedAt } }: { token: Token }) {
  const [isAsking, setAsking] = useState(false)
  const revoke = useWrite({
    send: (_, headers) => api.tokens.revoke({ params: { id }, headers }),
    refresh: [tokensQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    revoke.begin()
    setAsking(true)
  }
  return (
    <>
      <GatedButton size="sm" reason={useMay()('token:write')} aria-label={`Revoke ${name}`} onClick={ask}>
        Revoke
      </GatedButton>
      <Confirm
        open={isAsking}
        title={`Revoke the token ${name}?`}
        consequences={[
          'The next request with it is refused. It cannot be had back.',
          lastUsedAt ? 'It has been used: whatever uses it stops working.' : 'It was never used.',
          'What was made with it stays.',
        ]}
        verb="Revoke"
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
