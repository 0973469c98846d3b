import type { GithostAttempt, GithostConnect } from '@slipway/contract/githost-shape'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { attemptQuery } from '../api/platform.ts'
import { githostQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { announce } from '../ui/announce.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Caution } from '../ui/tag.tsx'
import { ConnectFlow, type Flow } from './connect-flow.tsx'
import { OtherWays } from './other-ways.tsx'
import { Outside } from './outside.tsx'
import type { Asked } from './words.ts'

/** How often the connection is looked at while somebody is at the git host. */
const WAITING_MS = 3000

type Status = { state: string; mode: 'self_hosted' | 'cloud'; host: string; installUrl: string | null }

export function ConnectPanel({ status }: { status: Status }) {
  const isConnected = status.state !== 'disconnected'
  const reason = useMay()('githost:write')
  const { connect, flow, attempt, hasBegun } = useConnect(status)
  const answer = connect.data
  return (
    <Section
      title={isConnected ? 'Another account, or another way' : 'Connect'}
      note={isConnected ? undefined : `The server picks the best way that it has to ${status.host}.`}
    >
      <Card>
        {flow && <ConnectFlow flow={flow} host={status.host} />}
        <div className="space-y-3 p-4">
          {!flow && (hasBegun || !isConnected) && <Ended attempt={attempt} />}
          {answer?.connected && <p className="text-soft">It is connected. These are the other ways that there are.</p>}
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            {!answer && (
              <GatedButton
                look={isConnected || flow ? 'plain' : 'primary'}
                reason={reason}
                busy={connect.isPending}
                onClick={() => connect.mutate({})}
              >
                <Plug size={14} aria-hidden /> {isConnected ? 'Other ways to connect' : flow ? 'Begin anew' : 'Connect'}
              </GatedButton>
            )}
            {status.installUrl && <Outside href={status.installUrl}>Install the app on further accounts</Outside>}
          </div>
          {answer && <OtherWays ways={answer.alternatives} busy={connect.isPending} onAsk={connect.mutate} />}
          <Refused error={connect.error} />
        </div>
      </Card>
    </Section>
  )
}

/** The page can be left and finds the attempt again, where the API keeps one. */
function useConnect({ mode, state }: Status) {
  const client = useQueryClient()
  const [begun, setBegun] = useState({ at: 0, state })
  const connect = useWrite<Asked, GithostConnect>({
    send: (body, headers) => api.githost.connect({ body, headers }),
    refresh: [githostQuery.queryKey],
    onDone: () => setBegun({ at: Date.now(), state }),
  })
  const { data: attempt, dataUpdatedAt } = useQuery({ ...attemptQuery, enabled: mode === 'self_hosted' })
  // How an older attempt ended says nothing about this one.
  const isOver = mode === 'cloud' ? state !== begun.state : dataUpdatedAt > begun.at && attempt?.status !== 'pending'
  const flow = isOver && connect.data?.flow !== 'terminal' ? null : flowOf(connect.data, attempt)
  const isWaiting = flow !== null
  useQuery({ ...githostQuery, refetchInterval: isWaiting ? WAITING_MS : false })
  const wasWaiting = useRef(false)
  const { reset } = connect
  useEffect(() => {
    const hasEnded = wasWaiting.current && !isWaiting
    wasWaiting.current = isWaiting
    if (!hasEnded) return
    reset()
    if (mode === 'cloud' || attempt?.status === 'connected') announce('The git host is connected.')
    void client.invalidateQueries({ queryKey: githostQuery.queryKey })
  }, [isWaiting, mode, attempt?.status, reset, client])
  return { connect, attempt, flow, hasBegun: begun.at > 0 }
}

function flowOf(answer: GithostConnect | undefined, attempt: GithostAttempt | undefined): Flow | null {
  if (answer?.flow === 'terminal') return { kind: 'terminal', command: answer.command ?? '', message: answer.message }
  if (answer?.flow === 'redirect' && answer.url) return { kind: 'redirect', url: answer.url }
  if (attempt?.status === 'pending') {
    const { userCode, verificationUri, expiresAt } = attempt
    if (userCode && verificationUri && expiresAt)
      return { kind: 'code', code: userCode, at: verificationUri, until: expiresAt }
    return { kind: 'begun' }
  }
  if (answer?.flow === 'device_code' && answer.userCode && answer.verificationUri && attempt === undefined)
    return { kind: 'code', code: answer.userCode, at: answer.verificationUri, until: until(answer.expiresIn ?? 0) }
  return null
}

const until = (seconds: number) => new Date(serverNow() + seconds * 1000).toISOString()

/** How the last try ended, until another one begins or it does not matter any more. */
function Ended({ attempt }: { attempt: GithostAttempt | undefined }) {
  if (attempt?.status === 'denied') return <Caution>It was refused at the git host.</Caution>
  if (attempt?.status === 'expired') return <Caution>Nobody finished it in time. Begin anew.</Caution>
  if (attempt?.status === 'failed') return <Caution>{attempt.message ?? 'It did not work. Begin anew.'}</Caution>
  return null
}
