import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { runInside } from '../../../../../lab/machine.ts'
import { trialNetwork, trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { NetworkAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const runtime = trialRuntime({ instance: `test-stuck-${randomBytes(4).toString('hex')}` })
const project = `prj_u${randomBytes(4).toString('hex')}`
const name = trialNetwork(project)
const { signal } = new AbortController()
const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
  close()
}, 60_000)

/** As an engine leaves it that ends while it takes the network down. */
async function leaveLink(): Promise<string> {
  const { Id, id } = await until('the engine has numbered the network', 45_000, async () => {
    const found = await callEngine<NetworkAnswer>(docker, { path: `/networks/${name}` }, signal)
    const id = Number(found.Options?.['com.docker.network.driver.overlay.vxlanid_list'])
    return id > 0 ? { Id: found.Id, id } : undefined
  })
  const link = `vx-${id.toString(16).padStart(6, '0')}-${Id.slice(0, 5)}`
  await runInside('engine', 'ip', 'link', 'add', link, 'type', 'vxlan', 'id', String(id), 'dstport', '4789')
  return link
}

test('a network that a restart of the engine has blocked is freed, and no release is blamed for it', {
  timeout: 120_000,
}, async () => {
  await runtime.ensureNetwork(engine, name, { signal, org: 'org_trial', project })
  const link = await leaveLink()
  const key = { project, service: 'web' }
  const { specHash } = await runtime.apply(engine, trialSpec({ ...key, deployment: 'v1' }, 'good'), { signal })
  const watch = runtime.watch(engine, key, { deployment: 'v1', specHash, signal, stableMs: 300, deadlineMs: 90_000 })
  const freed = await until('the link is deleted', 45_000, async () => {
    const names = await runtime.freeNetworks(engine, { signal })
    return names.length > 0 ? names : undefined
  })
  expect(freed).toEqual([name])
  expect(await watch).toMatchObject({ outcome: 'healthy', failures: 0 })
  expect(await runInside('engine', 'ip', '-o', 'link', 'show')).not.toContain(link)
  const [task] = await runtime.tasks(engine, project, { signal })
  expect(task).toMatchObject({ state: 'running', service: 'web' })
  expect(task?.deaths.every(({ byEngine }) => byEngine)).toBe(true)
  expect(task?.restarts).toBeGreaterThanOrEqual(2)
  // All is well: nothing is done.
  expect(await runtime.freeNetworks(engine, { signal })).toEqual([])
})
