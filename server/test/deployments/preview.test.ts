import { DeploymentPlan } from '@slipway/contract/plan'
import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('preview')
const { db } = site.world.platform

/** A stack with a database that has a volume; `extra` is one more service. */
const compose = (folder: string, extra = '') => ({
  'compose.yaml': `
services:
  db:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8081", "-h", "${folder}"]
    volumes: ["data:/data"]
  web:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080", "-h", "${folder}"]
    expose: ["8080"]
${extra}
volumes: {data: {}}
`,
})
const EXTRA = `  extra:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8082", "-h", "/etc"]`
const counted = async (projectId: string) =>
  (await db.selectFrom('deployment').select('id').where('projectId', '=', projectId).execute()).length

test('a rollback is told before it is made: what it replaces, removes and interrupts; and nothing happens by asking', async () => {
  const project = await site.project('stack', { bakeSeconds: 0 })
  const first = await site.ended(await site.start(project, compose('/etc')))
  expect(first, JSON.stringify(first.error)).toMatchObject({ status: 'ready' })
  const second = await site.ended(await site.start(project, compose('/bin', EXTRA)))
  expect(second, JSON.stringify(second.error)).toMatchObject({ status: 'ready' })

  // What it did is kept with it.
  const { plan } = (await site.api('GET', `/api/deployments/${second.id}`)).body
  expect(DeploymentPlan.parse(plan)).toMatchObject({
    created: ['extra'],
    removed: [],
    interrupted: [{ service: 'db' }],
  })
  expect(plan.operations.filter(({ state }: { state: string }) => state !== 'done')).toEqual([])
  const kinds = plan.operations.map(({ kind, service }: { kind: string; service: string }) => `${kind} ${service}`)
  expect(kinds).toEqual(expect.arrayContaining(['apply db', 'wait-healthy db', 'apply extra', 'apply web']))

  const { status, body } = await site.api('GET', `/api/deployments/${first.id}/rollback-plan`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    rebuilt: [],
    plan: {
      ...{ created: [], restarted: [], removed: ['extra'], jobs: [], routed: [] },
      interrupted: [{ service: 'db', because: ['the volume data'] }],
    },
  })
  expect(body.plan.replaced.toSorted()).toEqual(['db', 'web'])
  const { operations } = DeploymentPlan.parse(body.plan)
  expect(operations.find(({ kind, service }) => kind === 'apply' && service === 'db')).toMatchObject({
    ...{ change: 'db is stopped and then replaced', reason: 'the release wants it so', state: 'planned' },
  })
  expect(operations.at(-1)).toMatchObject({ kind: 'remove', service: 'extra' })

  // To the release that is active there is nothing to go back to.
  const same = await site.api('GET', `/api/deployments/${second.id}/rollback-plan`)
  if (same.status === 200) expect(same.body.plan.operations).toEqual([])
  else expect(same).toMatchObject({ status: 400, body: { code: 'not_now' } })

  const before = await counted(project)
  const asked = { projectId: project, image: 'busybox:1', dryRun: true }
  const dry = await site.api('POST', '/api/deployments/build/access', asked)
  expect(dry.status, JSON.stringify(dry.body)).toBe(201)
  expect(dry.body).toMatchObject({ success: true, dryRun: true, project_id: project })
  expect(dry.body.deployment_id).toBeUndefined()
  expect(dry.body.plan.replaced.toSorted()).toEqual(['db', 'extra', 'web'])
  expect(dry.body.plan.interrupted).toEqual([{ service: 'db', because: ['the volume data'] }])
  expect(await counted(project)).toBe(before)
}, 400_000)

test('of a project that never ran, a dry run says what is created and where names would lead, and claims none of them', async () => {
  const project = await site.project('fresh', { bakeSeconds: 0 })
  const body = {
    ...{ projectId: project, image: 'busybox:1', dryRun: true },
    services: [{ name: 'site', port: 8080, volumes: ['files:/files'], replicas: 2 }],
    publicEndpoints: [{ domainType: 'custom', customDomain: 'preview.example.test', port: 8080 }],
  }
  const { status, body: told } = await site.api('POST', '/api/deployments/build/access', body)
  expect(status, JSON.stringify(told)).toBe(201)
  expect(told.plan).toMatchObject({ created: ['site'], replaced: [], removed: [], interrupted: [] })
  expect(told.plan.routed).toContainEqual({
    ...{ host: 'preview.example.test', pathPrefix: null, service: 'site', port: 8080 },
  })
  expect(await counted(project)).toBe(0)
  const names = await db.selectFrom('hostName').select('host').where('projectId', '=', project).execute()
  expect(names).toEqual([])
  const services = await site.api('GET', `/api/projects/${project}/services`)
  expect(JSON.stringify(services.body)).not.toContain('site')
})
