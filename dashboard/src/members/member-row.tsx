import { ROLES, type Role } from '@slipway/contract/permissions'
import { MoreHorizontal, UserCog, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type Member, membersQuery } from '../api/platform.ts'
import { meQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { roleChange } from './role-change.ts'

type Asked = Role | 'remove'

export function MemberRow({ member, isMe }: { member: Member; isMe: boolean }) {
  const { name, email, role, joinedAt } = member
  const [asking, setAsking] = useState<Asked | null>(null)
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{name}</span>
          {isMe && <Badge>you</Badge>}
        </p>
        <p className="text-xs break-words text-faint">
          {email} · joined <Age at={joinedAt} />
        </p>
      </div>
      <span className="shrink-0 text-soft">{role}</span>
      <MemberMenu member={member} onAsk={setAsking} />
      {asking && <AskMember member={member} asking={asking} onClose={() => setAsking(null)} />}
    </li>
  )
}

function MemberMenu({ member: { name, role }, onAsk }: { member: Member; onAsk(what: Asked): void }) {
  const reason = useMay()('member:admin')
  const items: MenuItem[] = [
    ...ROLES.filter((one) => one !== role).map((one) => ({
      label: `Make ${one}`,
      icon: <UserCog size={14} />,
      reason,
      onSelect: () => onAsk(one),
    })),
    { label: 'Remove', icon: <UserMinus size={14} />, danger: true, reason, onSelect: () => onAsk('remove') },
  ]
  return (
    <Menu
      label={`Actions for ${name}`}
      items={items}
      trigger={
        <Button size="icon" look="quiet">
          <MoreHorizontal size={16} aria-hidden />
        </Button>
      }
    />
  )
}

type AskProps = { member: Member; asking: Asked; onClose(): void }

function AskMember({ member: { userId, name, role }, asking, onClose }: AskProps) {
  const write = useWrite<Asked>({
    send: (what, headers) =>
      what === 'remove'
        ? api.members.remove({ params: { userId }, headers })
        : api.members.changeRole({ params: { userId }, body: { role: what }, headers }),
    refresh: [membersQuery.queryKey, meQuery.queryKey],
    onDone: onClose,
  })
  const isGoing = asking === 'remove'
  return (
    <Confirm
      open
      title={isGoing ? `Remove ${name}?` : `Make ${name} ${asking}?`}
      consequences={
        isGoing
          ? [
              `${name} sees nothing of this organization from the next request on.`,
              'Their access tokens for it stop working at once.',
              'Projects, deployments and servers stay as they are.',
            ]
          : roleChange(name, role, asking)
      }
      verb={isGoing ? 'Remove' : `Make ${asking}`}
      danger={isGoing}
      busy={write.isPending}
      error={write.error}
      onConfirm={() => write.mutate(asking)}
      onClose={onClose}
    />
  )
}
