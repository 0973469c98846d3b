import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tool } from '../../../lab/tools.ts'
import { plant, serveGit } from '../../../test-kit/git-server.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'slipway-truth-'))
const [keyFile, gitCaFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
const certificate = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
const subject = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1']
execFileSync(tool('openssl'), [...certificate, '-keyout', keyFile, '-out', gitCaFile, ...subject], { stdio: 'pipe' })
const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(gitCaFile, 'utf8') }
const token = 'a-token-for-the-git-host'
const git = await serveGit(join(folder, 'srv'), { token }, tls)
const site = await startSite('truth', { gitCaFile, allowedNetworks: ['127.0.0.0/8'] })

afterAll(() => {
  git.close()
  rmSync(folder, { recursive: true })
})

type Wrong = { code: string; step: string; message: RegExp; line?: RegExp }

const BAD: [name: string, files: Record<string, string>, wrong: Wrong][] = [
  [
    'ends at once',
    app(`console.error('cannot find the database'); process.exit(3)`),
    {
      code: 'crashed',
      step: 'rollout',
      message: /ended with code 3.*cannot find the database$/,
      line: /cannot find the database/,
    },
  ],
  [
    'never listens',
    app(`setInterval(() => {}, 1000)`),
    { code: 'port_not_listening', step: 'rollout', message: /listens on no port at all; the platform expects 3000/ },
  ],
  [
    'listens on another port',
    app(`const elsewhere = 9999; require('node:http').createServer((q, r) => r.end()).listen(elsewhere)`),
    { code: 'port_not_listening', step: 'rollout', message: /listens on 9999; the platform expects 3000/ },
  ],
  [
    'takes more memory than it may',
    app(`const all = []; setInterval(() => all.push(Buffer.alloc(64e6, 1)), 20)`),
    { code: 'out_of_memory', step: 'rollout', message: /512 MiB/ },
  ],
  [
    'has a broken Dockerfile',
    { Dockerfile: 'FROM node:24-slim\nRUN echo now; exit 7\n' },
    { code: 'build_failed', step: 'build', message: /Dockerfile, line 2, RUN echo now/, line: /^now$/ },
  ],
  [
    'has nothing to build',
    { 'notes.txt': 'hello' },
    { code: 'nothing_to_build', step: 'build', message: /There is no Dockerfile/ },
  ],
]

async function lineOf(id: string, seq: number | null | undefined): Promise<string | undefined> {
  const { body } = await site.api('GET', `/api/deployments/${id}/logs?limit=5000`)
  return body.data.find((line: { seq: number }) => line.seq === seq)?.line
}

test.concurrent.each(BAD)(
  'an application that %s fails in the right words, and the previous release keeps serving',
  async (name, files, wrong) => {
    const called = name.replaceAll(' ', '-')
    const projectId = await site.project(called)
    const good = await site.ended(await site.start(projectId, app(GOOD)))
    expect(good, JSON.stringify(good.error)).toMatchObject({ status: 'ready', active: true })
    // A check that fails shows within seconds, and what is to be seen by then has the time for it on a busy machine.
    const services = [{ name: 'web', healthcheck: { intervalMs: 500, startPeriodMs: 10_000 } }]
    const seen = await site.ended(await site.start(projectId, files, { services }))
    expect([seen.status, seen.error?.code, seen.error?.step]).toEqual(['failed', wrong.code, wrong.step])
    expect(seen.error).toMatchObject({ service: 'web', hint: expect.any(String) })
    expect(seen.error?.message).toMatch(wrong.message)
    expect(await lineOf(seen.id, seen.error?.logSeq)).toMatch(wrong.line ?? /./)
    expect(await site.ask(`${called}.truth.test`)).toEqual({ status: 200, text: 'version 1' })
    expect(await site.show(good.id)).toMatchObject({ status: 'ready', active: true })
  },
  240_000,
)

test.concurrent.each([
  ['a branch that is not there', 'app', token, 'nosuch', 'git_branch_missing'],
  ['a token that is wrong', 'app', 'a-wrong-token', 'main', 'git_auth_failed'],
  ['a repository that is not there', 'nosuch', token, 'main', 'git_repository_not_found'],
])('git: %s is called so', async (name, repository, secret, branch, code) => {
  plant(join(folder, 'srv', 'app.git'), 'main', [{ path: 'index.html', text: 'from git' }])
  const body = {
    name,
    repository: `${git.url}/${repository}.git`,
    branch,
    gitCredential: { kind: 'token', token: secret },
  }
  const project = await site.api('POST', '/api/projects', body)
  expect(project.status, project.text).toBe(201)
  const started = await site.api('POST', '/api/deployments/build/access', { projectId: project.body.id })
  const seen = await site.ended(started.body.deployment_id)
  expect(seen).toMatchObject({ status: 'failed', error: { code, step: 'source', hint: expect.any(String) } })
  const { rows } = await site.world.platform.pool.query('select data from deployment_event where deployment_id = $1', [
    seen.id,
  ])
  expect(JSON.stringify([seen, rows])).not.toContain(secret)
})

test('a first deployment that fails leaves nothing behind', async () => {
  const projectId = await site.project('nothing')
  const seen = await site.ended(await site.start(projectId, app('process.exit(1)')))
  expect(seen).toMatchObject({ status: 'failed', active: false })
  const target = { kind: 'local' as const, socketPath: site.world.config.localEngine ?? '' }
  expect(await site.world.platform.runtime.observe(target, projectId, { signal: AbortSignal.timeout(10_000) })).toEqual(
    [],
  )
}, 120_000)

test('a secret that the application prints is not stored, nor is it in the error that quotes it', async () => {
  const projectId = await site.project('leaky')
  const secret = 'leaky-s3cr3t-value'
  await site.api('PUT', `/api/projects/${projectId}/variables`, { variables: [{ name: 'SECRET', value: secret }] })
  const shout = `console.error(process.env.SECRET, Buffer.from('x:' + process.env.SECRET).toString('base64')); process.exit(1)`
  const seen = await site.ended(await site.start(projectId, app(shout)))
  expect(seen.error?.message).toMatch(/Its last line: •••/)
  const { pool } = site.world.platform
  const events = await pool.query('select data from deployment_event where deployment_id = $1', [seen.id])
  const runs = await pool.query('select * from run where id = $1', [seen.id])
  const stored = JSON.stringify([events.rows, runs.rows, seen])
  expect(stored).toContain('•••')
  expect(stored).not.toContain(secret)
  expect(stored).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12))
}, 120_000)
