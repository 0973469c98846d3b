import { afterAll, expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('pending')
const projectId = await site.project('pending', { bakeSeconds: 0 })
afterAll(async () => {
  for (const { id, active } of (await site.api('GET', `/api/deployments?projectId=${projectId}`)).body.data)
    if (active) await site.api('DELETE', `/api/deployments/${id}?force=true`)
})

const FILES = {
  'compose.yaml': `
services:
  web:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080", "-h", "/etc"]
    expose: ["8080"]`,
}
const set = (value: string) =>
  site.api('PUT', `/api/projects/${projectId}/variables`, { variables: [{ name: 'MOOD', value, service: 'web' }] })
const pending = async () => {
  const { body } = await site.api('GET', `/api/projects/${projectId}/pending-changes`)
  return [body.release?.id, body.variables?.map(({ name, change }: Record<string, string>) => `${change} ${name}`)]
}

test('a change waits for the next deployment, and after a way back what serves lacks it again', async () => {
  await set('calm')
  const first = await site.start(projectId, FILES)
  expect(await site.ended(first)).toMatchObject({ status: 'ready', active: true })
  expect(await pending()).toEqual([first, []])
  await set('wild')
  expect(await pending()).toEqual([first, ['changed MOOD']])
  const second = await site.start(projectId, FILES)
  expect(await site.ended(second)).toMatchObject({ status: 'ready', active: true })
  expect(await pending()).toEqual([second, []])
  const back = (await site.api('POST', `/api/deployments/${first}/rollback`)).body.deployment.id
  expect(await site.ended(back)).toMatchObject({ status: 'ready', active: true })
  expect(await pending()).toEqual([back, ['changed MOOD']])
})
