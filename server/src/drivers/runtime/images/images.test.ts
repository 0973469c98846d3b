import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

const part = labPart('engine')
const engine = { kind: 'local', socketPath: part.socket } as const
const project = `prj_r${randomBytes(4).toString('hex')}`
const instance = `test-images-${project}`
const runtime = trialRuntime({ instance })
const { signal } = new AbortController()
const folder = mkdtempSync(join(tmpdir(), 'slipway-images-'))
const tag = (name: string) => `slipway.invalid/${project}:${name}`

const libraries = `/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
/** Images that differ in what a health check can be made of. */
const recipes = {
  // As Debian: bash, and here nothing else that could ask.
  bash: `FROM node:24-slim\nCOPY bash /bin/bash\nCOPY libtinfo.so.6 ${libraries}/\nRUN ["rm", "/bin/wget"]`,
  // As Alpine.
  busybox: 'FROM node:24-slim\nEXPOSE 8080/tcp 53/udp\nUSER node\nVOLUME /data\nHEALTHCHECK CMD ["true"]',
  // As distroless Node images: no shell at all.
  node: ['/usr/local/bin/node /nodejs/bin/node', '/lib /lib', '/lib64 /lib64'].reduce(
    (text, paths) => `${text}\nCOPY --from=node:24-slim ${paths}`,
    'FROM scratch',
  ),
  // A single program.
  scratch: 'FROM scratch\nCOPY --from=busybox:1 /bin/busybox /busybox',
}
type Recipe = keyof typeof recipes
type Mode = Parameters<typeof trialSpec>[1]

beforeAll(() => {
  copyFileSync('/bin/bash', join(folder, 'bash'))
  copyFileSync(join(libraries, 'libtinfo.so.6'), join(folder, 'libtinfo.so.6'))
  for (const name of Object.keys(recipes) as Recipe[]) build(name, recipes[name])
}, 120_000)

afterAll(async () => {
  await runtime.remove(engine, { project, service: 'old' }, { signal, deployments: 'any' })
  const roots = { services: [], networks: [], images: [], before: new Date(Date.now() + 60_000) }
  await until('all to be gone', 45_000, async () => {
    const { kept } = await runtime.collectGarbage(engine, roots, { signal })
    return kept.length === 0
  })
  rmSync(folder, { recursive: true })
  runtime.close()
}, 60_000)

function build(name: string, recipe: string): void {
  const file = join(folder, `${name}.Dockerfile`)
  writeFileSync(file, recipe)
  const label = `slipway.instance=${instance}`
  const argv = ['build', '--provenance=false', '--file', file, '--label', label, '--tag', tag(name), folder]
  const env = { PATH: process.env.PATH, DOCKER_HOST: part.dockerHost, DOCKER_CONFIG: part.dockerConfig }
  const { status, stderr } = spawnSync(part.buildx, argv, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} was not built: ${stderr}`)
}

describe('an image', () => {
  test('tells its ports, user, volumes and own check', async () => {
    expect(await runtime.images.inspect(engine, tag('busybox'), { signal })).toMatchObject({
      ports: expect.arrayContaining([
        { port: 8080, protocol: 'tcp' },
        { port: 53, protocol: 'udp' },
      ]),
      user: 'node',
      volumes: ['/data'],
      healthcheck: ['CMD', 'true'],
      checks: 'http',
    })
    expect(await runtime.images.inspect(engine, tag('none'), { signal })).toBeNull()
    expect(await runtime.images.exists(engine, tag('none'), { signal })).toBe(false)
    expect(await runtime.images.exists(engine, tag('bash'), { signal })).toBe(true)
  })

  test.for([
    ['bash', 'http'],
    ['busybox', 'http'],
    ['node', 'http'],
    ['scratch', 'none'],
  ] as const)('%s: the best check is %s', async ([name, checks]) => {
    expect(await runtime.images.inspect(engine, tag(name), { signal })).toMatchObject({ checks })
  })

  test('looking into it leaves nothing behind', async () => {
    const { stdout } = spawnSync(part.docker, [
      '-H',
      part.dockerHost,
      'ps',
      '-aq',
      '--filter',
      `label=slipway.instance=${instance}`,
    ])
    expect(stdout.toString()).toBe('')
  })
})

describe.concurrent('a health check without curl', { timeout: 120_000 }, () => {
  // Time to come up on a busy machine: what the check says is about what runs then.
  const times = { intervalMs: 500, timeoutMs: 15_000, retries: 3, startPeriodMs: 6000 }
  const http = { healthcheck: { kind: 'http', path: '/healthz', port: 8080, ...times } } as const
  const tcp = { healthcheck: { kind: 'tcp', port: 8080, ...times } } as const

  /** The first failure is enough: what it says is what counts. */
  const run = async (name: Recipe, mode: Mode, more: Partial<ServiceSpec>) => {
    const key = { project, service: `${name}-${mode}` }
    const spec = trialSpec({ ...key, deployment: 'd1' }, mode, { image: tag(name), ...more })
    const node = ['/nodejs/bin/node', ...(spec.entrypoint ?? []).slice(1)]
    await runtime.apply(engine, name === 'node' ? { ...spec, entrypoint: node } : spec, { signal })
    const found = await runtime.watch(engine, key, { deployment: 'd1', signal, stableMs: 300, mostFailures: 1 })
    await runtime.remove(engine, key, { signal, deployments: 'any' })
    return found
  }

  const cases = (['bash', 'busybox', 'node'] as const).flatMap((name) => [
    [name, 'good', 'healthy', null, http] as const,
    [name, 'sick', 'never-came-up', /^GET \/healthz answered 500 Internal Server Error$/, http] as const,
    [name, 'nolisten', 'never-came-up', /^nothing listens on port 8080; open:$/, tcp] as const,
    [name, 'loopback', 'never-came-up', /^port 8080 is open only .*; open: 8080\/local$/, http] as const,
    [name, 'elsewhere', 'never-came-up', /^nothing listens on port 8080; open: 9229\/local 9999$/, tcp] as const,
  ])

  test.for(cases)('%s: %s is %s', async ([name, mode, outcome, words, more], { expect }) => {
    const found = await run(name, mode, more)
    expect(found.outcome).toBe(outcome)
    expect(found.cause?.reason ?? null).toBe(words && (mode === 'sick' ? 'health-check' : 'port-closed'))
    if (words) expect(found.cause?.detail).toMatch(words)
  })

  test('scratch: running for the monitor period is all there is', async ({ expect }) => {
    const entrypoint = ['/busybox', 'sleep', '1000']
    expect(await run('scratch', 'good', { entrypoint, ...http })).toMatchObject({ outcome: 'healthy' })
    const bad = { entrypoint: ['/busybox', 'false'], ...http }
    expect(await run('scratch', 'exit', bad)).toMatchObject({ outcome: 'never-came-up', cause: { detail: 'code 1' } })
  })
})

describe('garbage', () => {
  const network = (name: string) => `${project}-${name}`
  const later = () => new Date(Date.now() + 60_000)

  test('roots and what is younger stay, all else of this instance goes, and nothing of others', async () => {
    await runtime.ensureNetwork(engine, network('keep'), { signal, org: 'org_rtest', project })
    await Promise.all(
      [1, 2, 3].map(() => runtime.ensureNetwork(engine, network('drop'), { signal, org: 'org_rtest', project })),
    )
    build('keep', 'FROM busybox:1\nENV A=keep')
    build('drop', 'FROM busybox:1\nENV A=drop')
    const spec = trialSpec({ project, service: 'old', deployment: 'd1' }, 'good', {
      networks: [{ name: network('keep'), aliases: [] }],
    })
    await runtime.apply(engine, spec, { signal })
    const names = Object.keys(recipes) as Recipe[]
    const images = [...names.map(tag), tag('keep')]
    const roots = { services: [], networks: [network('keep')], images, before: later() }

    const planned = await runtime.collectGarbage(engine, roots, { signal, dryRun: true })
    expect(planned).toMatchObject({
      networks: expect.arrayContaining([network('drop')]),
      images: [tag('drop')],
      kept: [],
    })
    expect(planned.services).toEqual([expect.stringMatching(/-old-/)])
    expect(await runtime.images.exists(engine, tag('drop'), { signal })).toBe(true)

    const young = { ...roots, before: new Date(Date.now() - 600_000) }
    expect(await runtime.collectGarbage(engine, young, { signal })).toEqual({
      services: [],
      networks: [],
      files: [],
      images: [],
      kept: [],
    })

    expect(await runtime.collectGarbage(engine, roots, { signal })).toEqual(planned)
    expect(await runtime.images.exists(engine, tag('drop'), { signal })).toBe(false)
    for (const image of [tag('keep'), 'busybox:1', 'node:24-slim']) {
      expect(await runtime.images.exists(engine, image, { signal })).toBe(true)
    }
    expect(await runtime.collectGarbage(engine, roots, { signal })).toMatchObject({
      images: [],
      services: [],
      networks: [],
    })
  }, 60_000)

  test('an image and a network in use are kept, and say so', async () => {
    const name = network('used')
    await runtime.ensureNetwork(engine, name, { signal, org: 'org_rtest', project })
    build('old', `FROM node:24-slim\nENV A=${project}`)
    const spec = trialSpec({ project, service: 'old', deployment: 'd2' }, 'good', {
      image: tag('old'),
      networks: [{ name, aliases: [] }],
    })
    await runtime.apply(engine, spec, { signal })
    await runtime.watch(engine, { project, service: 'old' }, { deployment: 'd2', signal, stableMs: 100 })
    await expect(runtime.images.remove(engine, tag('old'), { signal })).rejects.toMatchObject({ code: 'in_use' })
    await expect(runtime.removeNetwork(engine, name, { signal })).rejects.toMatchObject({ code: 'in_use' })
    await runtime.remove(engine, { project, service: 'old' }, { signal, deployments: 'any' })
    expect(
      await until('the image to be free', 45_000, () =>
        runtime.images.remove(engine, tag('old'), { signal }).catch(() => undefined),
      ),
    ).toBe(true)
    expect(
      await until('the network to be free', 45_000, () =>
        runtime.removeNetwork(engine, name, { signal }).catch(() => undefined),
      ),
    ).toBe(true)
    expect(await runtime.images.remove(engine, tag('old'), { signal })).toBe(false)
    expect(await runtime.removeNetwork(engine, name, { signal })).toBe(false)
  }, 60_000)

  test('a network that is not ours is not ours to use or remove', async () => {
    const foreign = runtime.ensureNetwork(engine, 'ingress', { signal, org: 'org_rtest' })
    await expect(foreign).rejects.toMatchObject({ code: 'name_taken' })
    await expect(runtime.removeNetwork(engine, 'bridge', { signal })).rejects.toMatchObject({ code: 'name_taken' })
  })
})
