import { useQuery } from '@tanstack/react-query'
import { Laptop } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type Session, sessionsQuery } from '../api/platform.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { browserInWords } from './browser-in-words.ts'

export function Sessions() {
  const sessions = useQuery(sessionsQuery)
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0
  return (
    <Section title="Where you are signed in" action={others > 0 && <EndOthers count={others} />}>
      <Stale query={sessions} />
      {sessions.isPending && <Bones rows={2} />}
      {sessions.isLoadingError && <Refused error={sessions.error} onRetry={() => sessions.refetch()} />}
      {sessions.data && (
        <Card>
          <ul className="divide-y divide-line">
            {sessions.data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}

function SessionRow({ session: { id, current, address, userAgent, createdAt, renewedAt } }: { session: Session }) {
  const name = browserInWords(userAgent)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <Laptop size={16} className="shrink-0 text-faint" aria-hidden />
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {current && <Badge>this one</Badge>}
        </p>
        <p className="text-xs text-faint">
          {address && (
            <>
              <span className="font-mono">{address}</span> ·{' '}
            </>
          )}
          signed in <Age at={createdAt} /> · last renewed <Age at={renewedAt} />
        </p>
      </div>
      {!current && <EndOne id={id} name={name} />}
    </li>
  )
}

function EndOne({ id, name }: { id: string; name: string }) {
  const [isAsking, setAsking] = useState(false)
  const end = useWrite({
    send: (_, headers) => api.me.endSession({ params: { id }, headers }),
    refresh: [sessionsQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    end.begin()
    setAsking(true)
  }
  return (
    <>
      <Button size="sm" aria-label={`End the session of ${name}`} onClick={ask}>
        End
      </Button>
      <Confirm
        open={isAsking}
        title={`End the session of ${name}?`}
        consequences={[
          'Whoever uses it has to sign in again.',
          'This session, any others and your access tokens stay as they are.',
        ]}
        verb="End it"
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function EndOthers({ count }: { count: number }) {
  const [isAsking, setAsking] = useState(false)
  const end = useWrite({
    send: (_, headers) => api.me.endOtherSessions({ headers }),
    refresh: [sessionsQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    end.begin()
    setAsking(true)
  }
  return (
    <>
      <Button onClick={ask}>End all others</Button>
      <Confirm
        open={isAsking}
        title={count === 1 ? 'End the other session?' : `End ${count} other sessions?`}
        consequences={[
          'Whoever uses one of them has to sign in again.',
          'This session and your access tokens stay as they are.',
        ]}
        verb="End them"
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
