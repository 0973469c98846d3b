import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { memberPagesQuery } from '../api/pages.ts'
import { meQuery } from '../api/queries.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { Invitations } from './invitations.tsx'
import { MemberRow } from './member-row.tsx'

export function MembersTab() {
  const members = useInfiniteQuery(memberPagesQuery)
  const { data: me } = useQuery(meQuery)
  return (
    <>
      <Section title="Members" note={`The people of ${me?.organization.name ?? 'this organization'}.`}>
        <Stale query={members} />
        {members.isPending && <Bones rows={3} />}
        {members.isLoadingError && <Refused error={members.error} onRetry={() => members.refetch()} />}
        {members.data && (
          <Card>
            <ul className="divide-y divide-line">
              {members.data.map((member) => (
                <MemberRow key={member.userId} member={member} isMe={member.userId === me?.user.id} />
              ))}
            </ul>
          </Card>
        )}
        <ShowOlder list={members} />
      </Section>
      {/* After what is above it, so that it does not move. */}
      {!members.isPending && <Invitations />}
    </>
  )
}
