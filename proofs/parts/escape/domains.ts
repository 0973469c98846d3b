import { domainToASCII } from 'node:url'
import type { Attacker } from './attacker.ts'
import { type Case, textOf } from './cases.ts'
import type { Stage } from './stage.ts'
import type { Outcome } from './try.ts'

/** Asks for a name. One below the instance's own domain is another project's, now or one day. */
export async function tryDomain(stage: Stage, attacker: Attacker, one: Case): Promise<Outcome> {
  const request = JSON.parse(textOf(one, 'domain.json') ?? '')
  const { status, text } = await attacker.call('POST', `/api/projects/${attacker.project}/domains`, request)
  if (status >= 500) return { verdict: 'no result', words: text, seen: text }
  if (status >= 300) return { verdict: 'refused', words: text, seen: text }
  const { text: page } = await stage.site.visit('victim')
  const lost = page.includes('victim answers') ? [] : ['WORKED the victim no longer answers at its own name']
  const host = domainToASCII(request.host).replace(/\.$/, '')
  const base = stage.site.host('x').slice(2)
  const taken = host === base || host.endsWith(`.${base}`) ? [`WORKED has the name ${host}`] : []
  return { verdict: 'harmless', words: `has the name ${host}`, seen: [text, ...lost, ...taken].join('\n') }
}
