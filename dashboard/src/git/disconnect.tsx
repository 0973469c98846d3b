import type { GithostAccount } from '@slipway/contract/githost-shape'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { githostQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Section } from '../ui/section.tsx'

type Source = 'oauth' | 'cli' | 'all'
const WORDS: Record<Source, string> = {
  oauth: 'Disconnect the account',
  cli: 'Disconnect the login of this machine',
  all: 'Disconnect all',
}

export function Disconnect({ accounts, host }: { accounts: GithostAccount[]; host: string }) {
  const reason = useMay()('githost:admin')
  const [asking, setAsking] = useState<Source | null>(null)
  const end = useWrite<Source>({
    send: (source, headers) => api.githost.disconnect({ body: { source }, headers }),
    refresh: [githostQuery.queryKey],
    onDone: () => setAsking(null),
  })
  const ask = (source: Source) => {
    end.begin()
    setAsking(source)
  }
  const parts = (['oauth', 'cli'] as const).filter((one) => accounts.some(({ source }) => source === one))
  return (
    <Section title="Disconnect" note={`The credentials are forgotten here. Nothing is uninstalled at ${host}.`}>
      <div className="flex flex-wrap items-start gap-2">
        {[...(accounts.length > 1 ? parts : []), 'all' as const].map((source) => (
          <GatedButton key={source} reason={reason} onClick={() => ask(source)}>
            {WORDS[source]}
          </GatedButton>
        ))}
      </div>
      <Confirm
        open={asking !== null}
        title={`${WORDS[asking ?? 'all']}?`}
        consequences={[
          'Its credentials are deleted here, and its repositories are no longer listed.',
          'Pushes to what it alone could see deploy nothing until it is connected again.',
          `What runs goes on running. At ${host} nothing is changed; whoever wants an app or a hook gone removes it there.`,
        ]}
        verb="Disconnect"
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => asking && end.mutate(asking)}
        onClose={() => setAsking(null)}
      />
    </Section>
  )
}
