import { useQuery } from '@tanstack/react-query'
import { MailPlus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type Invitation, invitationsQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { isHereOnly, LINK_HERE_ONLY } from '../domains/here-only.ts'
import { Confirm } from '../ui/confirm.tsx'
import { ShowOnce } from '../ui/forms/show-once.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { InviteDialog, type Invited } from './invite-dialog.tsx'

export function Invitations() {
  const invitations = useQuery(invitationsQuery)
  const reason = useMay()('member:write')
  const [isAsking, setAsking] = useState(false)
  const [made, setMade] = useState<Invited | null>(null)
  const done = (invited: Invited) => {
    setAsking(false)
    setMade(invited)
  }
  return (
    <Section
      title="Open invitations"
      action={
        <GatedButton look="primary" reason={reason} onClick={() => setAsking(true)}>
          <MailPlus size={14} aria-hidden /> Invite
        </GatedButton>
      }
    >
      <Stale query={invitations} />
      {invitations.isPending && <Bones rows={1} />}
      {invitations.isLoadingError && <Refused error={invitations.error} onRetry={() => invitations.refetch()} />}
      {invitations.data?.length === 0 && <p className="text-soft">Nobody is invited at the moment.</p>}
      {invitations.data && invitations.data.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {invitations.data.map((one) => (
              <InvitationRow key={one.id} invitation={one} reason={reason} />
            ))}
          </ul>
        </Card>
      )}
      {isAsking && <InviteDialog onDone={done} onClose={() => setAsking(false)} />}
      {made && (
        <ShowOnce
          title={`The link for ${made.email}`}
          note="Send it to them yourself. It is shown this once, works once, and only for this address."
          secret={made.link}
          what="the link"
          caution={isHereOnly(made.link) ? LINK_HERE_ONLY : null}
          onClose={() => setMade(null)}
        />
      )}
    </Section>
  )
}

type RowProps = { invitation: Invitation; reason: string | null }

function InvitationRow({ invitation: { id, email, role, invitedBy, expiresAt }, reason }: RowProps) {
  const [isAsking, setAsking] = useState(false)
  const withdraw = useWrite({
    send: (_, headers) => api.members.withdraw({ params: { id }, headers }),
    refresh: [invitationsQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    withdraw.begin()
    setAsking(true)
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium break-words">{email}</p>
        <p className="text-xs text-faint">
          as {role}
          {invitedBy && <> · invited by {invitedBy}</>} · good until {new Date(expiresAt).toLocaleDateString()}
        </p>
      </div>
      <GatedButton size="sm" reason={reason} aria-label={`Withdraw the invitation of ${email}`} onClick={ask}>
        Withdraw
      </GatedButton>
      <Confirm
        open={isAsking}
        title={`Withdraw the invitation of ${email}?`}
        consequences={[
          'The link that was sent to them is worthless from then on.',
          'Nobody else is affected. They can be invited again, with another link.',
        ]}
        verb="Withdraw"
        danger
        busy={withdraw.isPending}
        error={withdraw.error}
        onConfirm={() => withdraw.mutate()}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}
