import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/queries.ts'
import { Card } from '../ui/page.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'

export function ProfileTab() {
  const { data: me } = useQuery(meQuery)
  return (
    <>
      <Section title="You">
        <Card>
          <Facts>
            <Fact term="Name">{me?.user.name}</Fact>
            <Fact term="Email">{me?.user.email}</Fact>
            <Fact term="Role">
              {me?.role} of {me?.organization.name}
            </Fact>
          </Facts>
        </Card>
      </Section>
      <PasswordForm />
      <Sessions />
    </>
  )
}
