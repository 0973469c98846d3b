import type { GithostRule } from '@slipway/contract/githost-settings'
import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { rulesQuery } from '../api/platform.ts'
import { useWrite } from '../api/use-write.ts'
import { announce } from '../ui/announce.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'

const BLANK: GithostRule = { role: 'developer', pattern: '', allow: false }
const FIELD = 'h-9 rounded-md border border-edge bg-surface px-2.5 text-base pointer-coarse:h-11 sm:text-sm'

/** All rules are set at once, so they are changed here and sent together. */
export function RulesForm({ stored }: { stored: GithostRule[] }) {
  const [rules, setRules] = useState(stored)
  const save = useWrite({
    send: (sent: GithostRule[], headers) => api.githostSettings.setRules({ body: { rules: sent }, headers }),
    refresh: [rulesQuery.queryKey, ['githost', 'repositories']],
    onDone: () => announce('The rules were set.'),
  })
  const put = (at: number, change: Partial<GithostRule>) =>
    setRules(rules.map((rule, place) => (place === at ? { ...rule, ...change } : rule)))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(rules)
  }
  const isChanged = JSON.stringify(rules) !== JSON.stringify(stored)
  return (
    <form onSubmit={submit}>
      <Card>
        {rules.length === 0 && <p className="p-4 text-soft">There are no rules: everybody sees every repository.</p>}
        <ul className="divide-y divide-line">
          {rules.map((rule, at) => (
            <RuleRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
              key={at}
              rule={rule}
              number={at + 1}
              onChange={(change) => put(at, change)}
              onRemove={() => setRules(rules.filter((_, place) => place !== at))}
            />
          ))}
        </ul>
        <div className="flex flex-wrap items-center gap-2 border-t border-line p-4">
          <Button onClick={() => setRules([...rules, BLANK])}>
            <Plus size={14} aria-hidden /> Add a rule
          </Button>
          {isChanged && (
            <>
              <Button type="submit" look="primary" busy={save.isPending}>
                Set the rules
              </Button>
              <Button look="quiet" onClick={() => setRules(stored)}>
                Put back
              </Button>
            </>
          )}
        </div>
      </Card>
      <Refused error={save.error} className="mt-3" />
    </form>
  )
}

type RowProps = {
  rule: GithostRule
  number: number
  onChange(change: Partial<GithostRule>): void
  onRemove(): void
}

function RuleRow({ rule: { role, pattern, allow }, number, onChange, onRemove }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-3">
      <select
        aria-label={`Rule ${number}: role`}
        value={role}
        onChange={(event) => onChange({ role: event.currentTarget.value as GithostRule['role'] })}
        className={FIELD}
      >
        <option value="developer">Developers</option>
        <option value="viewer">Viewers</option>
      </select>
      <select
        aria-label={`Rule ${number}: see or not`}
        value={allow ? 'yes' : 'no'}
        onChange={(event) => onChange({ allow: event.currentTarget.value === 'yes' })}
        className={FIELD}
      >
        <option value="no">do not see</option>
        <option value="yes">see</option>
      </select>
      <input
        aria-label={`Rule ${number}: repositories`}
        value={pattern}
        required
        maxLength={200}
        placeholder="acme/internal-*"
        pattern="[A-Za-z0-9_\-]+(\/[\w.*\-]+)?"
        title="An account, or owner/name where * stands for anything"
        spellCheck={false}
        onChange={(event) => onChange({ pattern: event.currentTarget.value })}
        className={`${FIELD} min-w-0 flex-1 basis-40 font-mono`}
      />
      <Button look="quiet" size="icon" aria-label={`Remove rule ${number}`} onClick={onRemove}>
        <Trash2 size={15} aria-hidden />
      </Button>
    </li>
  )
}
