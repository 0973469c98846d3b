import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

/** What an engine measures is its own tests' concern; here, what is made of it. */
const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const asked: unknown[] = []
const task = (project: string, memoryBytes: number, cores: number) =>
  ({ project, service: 'web', memoryBytes, cores, networkRxBytes: 1, networkTxBytes: 2 }) as never
world.platform.runtime.usage = async (_, whose) => {
  asked.push(whose)
  return [task('prj_a', 10, 0.25), task('prj_b', 70, 0.1), task('prj_a', 30, 0.5)]
}
const server = (await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })).body.id

test('what each project uses is summed up, the largest first, of one’s own organization alone', async () => {
  const { body } = await org.owner.api('GET', `/api/servers/${server}/usage`)
  expect(body.data).toEqual([
    { projectId: 'prj_b', containers: 1, cores: 0.1, memoryBytes: 70, networkRxBytes: 1, networkTxBytes: 2 },
    { projectId: 'prj_a', containers: 2, cores: 0.75, memoryBytes: 40, networkRxBytes: 2, networkTxBytes: 4 },
  ])
  expect(asked).toEqual([{ org: org.id }])
  expect((await other.owner.api('GET', `/api/servers/${server}/usage`)).status).toBe(404)
})
