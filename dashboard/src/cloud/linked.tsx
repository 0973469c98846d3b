import type { CloudLink } from '@slipway/contract/link'
import { useState } from 'react'
import { api, isRefusal } from '../api/client.ts'
import { cloudLinkQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Fact, Facts } from '../ui/section.tsx'
import { Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import type { Tone } from '../ui/title.ts'

type Relay = NonNullable<CloudLink['relay']>
const RELAYS: Record<Relay['state'], { tone: Tone; word: string; note: string }> = {
  following: { tone: 'ok', word: 'Following', note: 'Deliveries of the git host come as they happen.' },
  waiting: { tone: 'idle', word: 'Waiting', note: 'The cloud is asked again in a while. What is missed comes then.' },
  refused: { tone: 'bad', word: 'Refused', note: 'The cloud does not let this link follow. It is asked every hour.' },
  off: { tone: 'idle', word: 'Not yet', note: 'Nobody has asked the cloud yet.' },
}

/** `onLeft`: what is left to do where the cloud did not answer; said by whoever outlives this. */
type Props = { link: CloudLink; onLeft(hint: string | null): void }

export function Linked({ link: { cloudUrl, organization, linkedBy, linkedAt, relay }, onLeft }: Props) {
  return (
    <Card>
      <Facts>
        <Fact term="Linked to">
          {organization?.name} {cloudUrl && <span className="text-soft">at {new URL(cloudUrl).host}</span>}
        </Fact>
        {linkedAt && (
          <Fact term="Since">
            <Age at={linkedAt} />
            {linkedBy?.name && <>, by {linkedBy.name}</>}
          </Fact>
        )}
        {relay && (
          <Fact term="Deliveries">
            <span className="-my-0.5 flex flex-wrap items-center gap-2">
              <Tag tone={RELAYS[relay.state].tone}>{RELAYS[relay.state].word}</Tag>
              <span className="min-w-0 text-soft text-pretty">
                {RELAYS[relay.state].note}
                {relay.lastAt && (
                  <>
                    {' '}
                    The last one came <Age at={relay.lastAt} />.
                  </>
                )}
              </span>
            </span>
          </Fact>
        )}
      </Facts>
      <div className="border-t border-line p-4">
        <Unlink onLeft={onLeft} />
      </div>
    </Card>
  )
}

function Unlink({ onLeft }: Pick<Props, 'onLeft'>) {
  const [isAsking, setAsking] = useState(false)
  const end = useWrite({
    send: (force: 'true' | 'false', headers) => api.cloudLink.end({ query: { force }, headers }),
    refresh: [cloudLinkQuery.queryKey, ['githost']],
    onDone: ({ revokedThere, hint }) => {
      setAsking(false)
      onLeft(revokedThere ? null : (hint ?? 'The cloud did not answer: end the link there as well.'))
    },
  })
  const isPromoting = isRefusal(end.error) && end.error.body.code === 'promotion_running'
  const ask = () => {
    end.begin()
    setAsking(true)
  }
  return (
    <>
      <GatedButton size="sm" reason={useMay()('server:admin')} onClick={ask}>
        End the link
      </GatedButton>
      <Confirm
        open={isAsking}
        title="End the link to the cloud?"
        consequences={[
          'The credential is revoked at the cloud and deleted here; the latter in any case.',
          'Deliveries are no longer passed on, and its app at the git host can no longer be used here.',
          'Projects that run at the cloud go on running there. What runs here is not touched.',
        ]}
        verb={isPromoting ? 'End it all the same' : 'End the link'}
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate(isPromoting ? 'true' : 'false')}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
