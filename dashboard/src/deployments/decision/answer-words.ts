import type { Deployment } from '@slipway/contract/deployment-shape'
import { type Known, listed, serving, startInWords } from '../consequences.ts'

export type Answer = { promptId: string; action: 'approve' | 'reject' }
type Asked = Pick<Deployment, 'number' | 'services'>
type Words = { title: string; verb: string; consequences: string[] }

/** What follows from an answer and what stays, a sentence each. `services`: those of the deployment, as far as they are known yet. */
export function answerInWords(
  { promptId, action }: Answer,
  { number, services }: Asked,
  { before, waiting }: Pick<Known, 'before' | 'waiting'>,
): Words {
  const isRelease = promptId === 'approve_release'
  const what = services.length > 0 ? listed(services.map(({ name }) => name)) : 'It'
  const is = services.length > 1 ? 'are' : 'is'
  if (action === 'approve')
    return {
      title: isRelease ? `Let #${number} go live?` : `Build #${number}?`,
      verb: 'Approve',
      consequences: isRelease
        ? [`${what} ${is} rolled out as built, and visitors get that from then on.`, untilReady(before)]
        : [
            `${what} ${is} built now.`,
            serving(before),
            'What is built goes on by itself, unless the project asks about releases too.',
          ],
    }
  return {
    title: `Decline #${number}?`,
    verb: 'Decline',
    consequences: [
      isRelease
        ? 'It ends here as failed. What was built for it is not used.'
        : 'It ends here as failed. Nothing is built.',
      serving(before),
      ...startInWords(waiting),
      'Deploying it again asks again.',
    ],
  }
}

function untilReady(before: Known['before']): string {
  if (before === null) return 'Nothing serves now: until it is ready, visitors get nothing.'
  return `What serves now${before ? `, #${before.number},` : ''} stays until the new one is ready.`
}
