import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { newId } from '../../src/db/ids.ts'
import { makeDeployment } from './made.ts'

/** What services print comes from a stand-in: an engine cannot be made to print at the moments that matter. */
const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const { db, runtime } = world.platform
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as { port: number }

runtime.observe = async () => [] as never
runtime.logs = async function* (_, __, { signal, deployment, since, follow }) {
  for (let n = 0; !signal.aborted && n < 400; n++) {
    const at = new Date().toISOString()
    if (since === undefined || at > since)
      yield { at, stream: 'stdout', line: `${deployment} ${n}`, taskId: 'x' } as never
    if (!follow && n === 2) return
    await pause(20, undefined, { signal }).catch(() => {})
  }
}

async function follow(
  projectId: string,
  enough: (text: string) => boolean | Promise<boolean>,
  headers: Record<string, string> = {},
) {
  const leave = new AbortController()
  const answer = await fetch(`http://127.0.0.1:${port}/api/projects/${projectId}/logs?follow=true`, {
    headers: { authorization: `Bearer ${org.owner.token}`, ...headers },
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(60_000)]),
  })
  let text = ''
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (await enough(text)) break
  }
  leave.abort()
  return text
}

/** Another release of the project serves from now on. */
async function replace(former: { id: string; projectId: string }): Promise<string> {
  const id = newId('dep')
  const row = await db.selectFrom('deployment').selectAll().where('id', '=', former.id).executeTakeFirstOrThrow()
  await db.updateTable('deployment').set({ active: false }).where('id', '=', former.id).execute()
  await db
    .insertInto('deployment')
    .values({
      id,
      orgId: row.orgId,
      projectId: row.projectId,
      serverId: row.serverId,
      number: row.number + 1,
      status: 'ready',
      decision: null,
      active: true,
      trigger: 'manual',
      source: JSON.stringify(row.source),
      request: JSON.stringify(row.request),
      branch: null,
      release: null,
      tookOver: former.id,
      createdBy: JSON.stringify(row.createdBy),
      finishedAt: new Date(),
    })
    .execute()
  return id
}

const serving = () => makeDeployment(world, org, { ended: new Date(Date.now() - 60_000), active: true })

test('the last lines of what serves are read; where nothing serves there are none', async () => {
  const { id, projectId } = await serving()
  const { body } = await org.owner.api('GET', `/api/projects/${projectId}/logs?limit=2`)
  expect(body.data.map(({ line }: { line: string }) => line)).toEqual([`${id} 1`, `${id} 2`])
  const idle = await makeDeployment(world, org, { ended: new Date() })
  expect((await org.owner.api('GET', `/api/projects/${idle.projectId}/logs`)).body.data).toEqual([])
})

test('who follows them goes over to the release that takes the place, and is told so', async () => {
  const first = await serving()
  let second = ''
  const text = await follow(first.projectId, async (seen) => {
    if (second === '' && seen.includes(`${first.id} 3`)) second = await replace(first)
    return second !== '' && seen.includes(`${second} 5`)
  })
  const lines = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
  const turn = lines.findIndex(({ release }) => release !== undefined)
  expect(lines[turn]).toMatchObject({
    line: '[#1 has taken the place of #0]',
    release: { deploymentId: second, number: 1 },
  })
  expect(lines.slice(0, turn).every(({ line }) => line.startsWith(first.id))).toBe(true)
  expect(lines.slice(turn + 1).map(({ line }) => line)).toEqual(lines.slice(turn + 1).map((_, n) => `${second} ${n}`))
})

test('who follows a project of which nothing serves yet gets the first release', async () => {
  const first = await makeDeployment(world, org, { ended: new Date() })
  setTimeout(() => void db.updateTable('deployment').set({ active: true }).where('id', '=', first.id).execute(), 300)
  const text = await follow(first.projectId, (seen) => seen.includes(`${first.id} 2`))
  expect(text).toContain('[#0 serves]')
})

test('who comes back after a release was replaced gets what the former one printed meanwhile', async () => {
  const first = await serving()
  const second = await replace(first)
  const seen = new Date(Date.now() - 5000).toISOString()
  const text = await follow(first.projectId, (all) => all.includes(`${second} 2`), { 'last-event-id': seen })
  expect(text.indexOf(`${first.id} 2`)).toBeGreaterThan(-1)
  expect(text.indexOf(`${first.id} 2`)).toBeLessThan(text.indexOf(`${second} 0`))
})

test('a project of another organization is not there, and a deleted one ends its streams', async () => {
  const { projectId } = await serving()
  expect((await other.owner.api('GET', `/api/projects/${projectId}/logs?follow=true`)).status).toBe(404)
  let asked = false
  const began = performance.now()
  await follow(projectId, async () => {
    if (!asked) await db.deleteFrom('project').where('id', '=', projectId).execute()
    asked = true
    return false
  }).catch(() => {})
  expect(performance.now() - began).toBeLessThan(40_000)
}, 60_000)
