import { useQuery } from '@tanstack/react-query'
import { rulesQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { Bones } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { AppSecrets } from './app-secrets.tsx'
import { RulesForm } from './rules-form.tsx'

export function RulesTab() {
  const reason = useMay()('githost:admin')
  return (
    <>
      <Section
        title="What developers and viewers see"
        note="Owners and admins see every repository. Of several rules that fit one, the longest wins; without any, everything is seen."
      >
        {reason ? <p className="text-soft">{reason}</p> : <Rules />}
      </Section>
      <AppSecrets reason={reason} />
    </>
  )
}

function Rules() {
  const rules = useQuery(rulesQuery)
  return (
    <>
      <Stale query={rules} />
      {rules.isPending && <Bones rows={2} />}
      {rules.isLoadingError && <Refused error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.data && <RulesForm key={JSON.stringify(rules.data)} stored={rules.data} />}
    </>
  )
}
