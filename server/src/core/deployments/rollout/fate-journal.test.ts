import { expect, test } from 'vitest'
import { d2, release, spec } from '../../../../../test-kit/model-engine/lists.ts'
import { trialSpec } from '../../../../../test-kit/runtime.ts'
import type { Fates } from '../converge/planning/operation.ts'
import { rollout } from '../converge/planning/wanted.ts'
import type { Telling } from '../deploy-context.ts'
import { fateJournal } from './fate-journal.ts'
import { fateIn, type ServiceOutcome } from './service-steps.ts'

/** What of a deployment is looked at here. */
const context = {
  run: { id: 'dep_2', signal: new AbortController().signal, write: async () => {} },
  ...{ serviceNames: [], redact: (text: string) => text, events: { write() {}, flush: async () => {} } },
  parts: { log: { warn() {} } },
} as unknown as Telling

function journalOf(names: string[], before: string[], known = new Map<string, ServiceOutcome>()) {
  const ended: string[] = []
  const steps = {
    ...{ nameOf: (service: string) => `rollout:${service}`, since: () => undefined, begin: async () => {} },
    ...{ end: async ({ service, status }: ServiceOutcome) => void ended.push(`${service} ${status}`) },
    ...{ replay: async () => known, abandon: async (error: unknown) => error },
  }
  const next = names.map((name) => spec(name, d2))
  const wanted = rollout(release(next), release(before.map((name) => spec(name))), 'd2')
  const services = names.map((service) => trialSpec({ project: 'prj_1', service, deployment: 'd2' }, 'good'))
  const fates: Fates = {}
  const journal = fateJournal(context, { release: { services }, wanted, steps, fates, known })
  return { journal, ended }
}

test('one that failed and never stopped being what it was is told as restored, and not as come', async () => {
  const { journal, ended } = journalOf(['web', 'worker'], ['web', 'worker'])
  await journal.learn('worker', 'failed', new Error('it ended'))
  await journal.learn('web', 'came', null)
  const all = await journal.outcomes()
  expect(all.map(({ service, came, status }) => [service, came, status])).toEqual([
    ['web', true, 'healthy'],
    ['worker', false, 'restored'],
  ])
  expect(all[1]?.error).toMatchObject({ code: 'engine_failed', message: 'it ended' })
  expect(ended).toEqual(['web healthy', 'worker restored'])
})

test('a new one that failed is gone; one that could not be put back has failed; what was learned is told once', async () => {
  const { journal, ended } = journalOf(['added', 'lost', 'web'], ['lost', 'web'])
  await journal.learn('added', 'failed', new Error('no'))
  await journal.learn('lost', 'failed', new Error('no'))
  await journal.learn('lost', 'lost', new Error('neither'))
  expect((await journal.outcomes()).map(({ status }) => status)).toEqual(['removed', 'failed', 'healthy'])
  expect(ended).toEqual(['added removed', 'lost failed', 'web healthy'])
})

test('an outcome of the journal is the fate that the next owner plans with', () => {
  const outcome = (status: ServiceOutcome['status'], came = false): ServiceOutcome => ({
    ...{ service: 'web', came, changed: true, status, error: null },
  })
  expect(fateIn(outcome('healthy', true), false)).toBe('came')
  expect(fateIn(outcome('restored'), false)).toBe('back')
  expect(fateIn(outcome('removed'), false)).toBe('failed')
  expect([fateIn(outcome('failed'), false), fateIn(outcome('failed'), true)]).toEqual(['lost', 'failed'])
})
