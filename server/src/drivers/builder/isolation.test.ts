import { statSync, utimesSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Bench, openBench } from '../../../../test-kit/builder.ts'
import { childrenCalled } from '../../../../test-kit/processes.ts'

let bench: Bench
const base = 'FROM busybox:1'
const fresh = () => `: ${Math.random()};`

beforeAll(() => {
  bench = openBench(labPart('engine'))
})
afterAll(() => bench.close())

describe('two projects share', () => {
  test('no context: files of the same name, size and mtime stay their own', async () => {
    const text = `${base}\nCOPY .env /\nRUN ${fresh()} cat /.env\n`
    const mtime = new Date('2026-01-01')
    for (const secret of ['KEY=aaaa', 'KEY=bbbb']) {
      const project = bench.project()
      await bench.write(project, { '.env': secret })
      utimesSync(join(bench.folder, project, '.env'), mtime, mtime)
      expect(statSync(join(bench.folder, project, '.env')).mtime).toEqual(mtime)
      expect((await bench.run(bench.request(project, text))).lines).toEqual([secret])
    }
  })

  test('no cached result: one without the secret does not get what it produced elsewhere', async () => {
    const text = `${base}\nRUN --mount=type=secret,id=token ${fresh()} cat /run/secrets/token > /private; cat /private\n`
    const owner = await bench.run(bench.request(bench.project(), text, { secrets: { token: 'of-the-owner' } }))
    expect(owner.lines).toEqual(['of-the-owner'])
    const { result, lines } = await bench.run(bench.request(bench.project(), text))
    expect(lines.join()).not.toContain('of-the-owner')
    expect(result.steps.find(({ name }) => name.includes('RUN'))?.cached).toBe(false)
  })

  test('no cache mount, not even by asking for the namespace of the other', async () => {
    const text = () => `${base}\nRUN --mount=type=cache,id=shared,target=/c ${fresh()} ls /c; touch /c/mine\n`
    const [owner, other] = [bench.project(), bench.project()]
    await bench.run(bench.request(owner, text()))
    expect((await bench.run(bench.request(owner, text()))).lines).toEqual(['mine'])
    const args = { BUILDKIT_CACHE_MOUNT_NS: owner }
    expect((await bench.run(bench.request(other, text(), { args }))).lines).toEqual([])
  })

  test('no image, neither by its name nor by its id', async () => {
    const built = bench.request(bench.project(), `${base}\nRUN ${fresh()} echo private > /private\n`)
    const { result } = await bench.run(built)
    if (!result.ok) throw new Error(result.failure.message)
    const hex = result.imageId.slice('sha256:'.length)
    for (const name of [built.tag, result.imageId, hex, hex.slice(0, 12), `busybox@${result.imageId}`]) {
      const taken = await bench.run(bench.request(bench.project(), `FROM ${name}\nRUN ${fresh()} cat /private\n`))
      expect([name, taken.result.ok, taken.lines]).toEqual([name, false, []])
    }
  })
})

describe('the engine itself', () => {
  test.for([
    'evil.invalid/frontend \rx',
    'evil.invalid/frontend\u2028x',
    'docker/dockerfile:1.3',
    'docker/dockerfile:1-labs',
  ])('asks for no frontend because of the line %j', async (named) => {
    const { result } = await bench.run(
      bench.request(bench.project(), `# syntax=${named}\n${base}\nRUN ${fresh()} true\n`),
    )
    const words = result.ok ? '' : result.failure.message
    // One that is named plainly is refused before anything is asked; the others are comments.
    expect([result.ok, words]).toEqual(/evil/.test(named) && !/[\r\u2028]/.test(named) ? [false, words] : [true, ''])
    expect(JSON.stringify(result)).not.toMatch(/resolve|manifests/)
  })

  test('fetches no address that the Dockerfile does not show, such as one that a base image adds', async () => {
    const name = `onbuild-${Math.random().toString(36).slice(2)}`
    const { Id } = await bench.ask<{ Id: string }>('/containers/create', 'POST', { Image: 'busybox:1' })
    const changes = encodeURIComponent('ONBUILD ADD http://127.0.0.1:9/secret /stolen')
    await bench.ask(`/commit?container=${Id}&repo=${name}&tag=1&changes=${changes}`, 'POST')
    try {
      const { result } = await bench.run(bench.request(bench.project(), `FROM ${name}:1\nRUN true\n`))
      expect(result).toMatchObject({
        ok: false,
        failure: { message: 'http://127.0.0.1:9/secret cannot be used in a build on this server.' },
      })
    } finally {
      await bench.ask(`/containers/${Id}?force=1`, 'DELETE')
      await bench.ask(`/images/${name}:1`, 'DELETE')
    }
  })
})

describe('a secret', () => {
  test('is in no argument list, line, step, history or layer', async () => {
    const secret = `s3cret-${Math.random()}`
    const text = `${base}\nRUN --mount=type=secret,id=TOKEN ${fresh()} wc -c < /run/secrets/TOKEN; sleep 0.5; exit 0\n`
    const request = bench.request(bench.project(), text, { secrets: { TOKEN: secret } })
    const building = bench.run(request)
    await expect.poll(() => childrenCalled('docker-buildx'), { interval: 5 }).toHaveLength(1)
    const [client] = childrenCalled('docker-buildx')
    expect(client?.cmdline).toContain('id=TOKEN,env=SLIPWAY_SECRET_0')
    expect(client?.cmdline).not.toContain(secret)
    // With it no RUN has the cache key of another project's; the cgroup's name alone would do, as long as it stays.
    expect(client?.cmdline).toContain(`\0--add-host\0${request.project}.slipway.invalid:127.0.0.1\0`)
    const { result, events, lines } = await building
    expect(lines).toEqual([String(secret.length)])
    expect(JSON.stringify([result, events])).not.toContain(secret)
    const history = await bench.ask<unknown>(`/images/${request.tag}/history`)
    expect(JSON.stringify(history)).not.toContain(secret)
    expect((await exported(request.tag)).includes(secret)).toBe(false)
  })

  test('and nothing else of ours is in the environment of the program, which finds no other program', async () => {
    // buildx would run git inside the source, whose .git/config belongs to the tenant.
    const project = bench.project()
    await bench.write(project, { '.git/HEAD': 'ref: refs/heads/main\n' })
    const building = bench.run(bench.request(project, `${base}\nRUN ${fresh()} sleep 0.5\n`, { secrets: { A: 'b' } }))
    await expect.poll(() => childrenCalled('docker-buildx'), { interval: 5 }).toHaveLength(1)
    const entries = childrenCalled('docker-buildx')[0]?.environ.split('\0').filter(Boolean) ?? []
    const names = entries.map((entry) => entry.split('=')[0]).sort()
    const secret = 'SLIPWAY_SECRET_0'
    expect(names).toEqual([
      'BUILDX_CONFIG',
      'BUILDX_GIT_INFO',
      'DOCKER_CONFIG',
      'DOCKER_HOST',
      'EXPERIMENTAL_BUILDKIT_SOURCE_POLICY',
      'PATH',
      'SLIPWAY_BUILD',
      secret,
    ])
    expect(entries).toEqual(expect.arrayContaining(['PATH=/nonexistent', 'BUILDX_GIT_INFO=false', `${secret}=b`]))
    expect((await building).result.ok).toBe(true)
  })
})

function exported(tag: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const path = `/images/${tag}/get`
    httpRequest({ socketPath: labPart('engine').socket, path }, (answer) => buffer(answer).then(resolve, reject))
      .on('error', reject)
      .end()
  })
}
