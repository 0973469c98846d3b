import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { tool } from '../../../lab/tools.ts'
import { plant, serveGit } from '../../../test-kit/git-server.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'slipway-git-'))
const [keyFile, gitCaFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
const certificate = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
const subject = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1']
execFileSync(tool('openssl'), [...certificate, '-keyout', keyFile, '-out', gitCaFile, ...subject], { stdio: 'pipe' })
const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(gitCaFile, 'utf8') }
const git = await serveGit(join(folder, 'srv'), {}, tls)
const site = await startSite('gitted', { gitCaFile, allowedNetworks: ['127.0.0.0/8'] })
const engine = new Docker({ socketPath: labPart('engine').socket })
afterAll(() => {
  git.close()
  rmSync(folder, { recursive: true })
})

const commit = (branch: string, version: number) =>
  plant(
    join(folder, 'srv', 'app.git'),
    branch,
    Object.entries(app(GOOD, version)).map(([path, text]) => ({ path, text })),
    `version ${version}`,
  )
const page = async () => (await site.ask('linked.gitted.test')).text
/** Sent, waited for, and what became of it. */
async function deployed(path: string, body: object) {
  const started = await site.api('POST', `/api/deployments${path}`, body)
  const seen = await site.ended(started.body.deployment_id)
  expect(seen, JSON.stringify(seen.error)).toMatchObject({ status: 'ready', active: true })
  const { source } = seen as typeof seen & { source: { commitSha?: string } }
  return { id: seen.id, commit: source.commitSha, built: seen.steps.some(({ name }) => name === 'build') }
}

test('a linked project is built from its branch or the one named; again from the latest commit, or from the same', async () => {
  const [one, feature] = [commit('main', 1), commit('feature', 9)]
  const projectId = await site.project('linked', { bakeSeconds: 0 })
  const linked = await site.api('PATCH', `/api/projects/${projectId}`, {
    repository: `${git.url}/app.git`,
    branch: 'main',
  })
  expect(linked.status, linked.text).toBe(200)

  const first = await deployed('', { projectId })
  expect([first.commit, await page()]).toEqual([one, 'version 1'])
  const second = await deployed('/build/access', { projectId, branch: 'feature' })
  expect([second.commit, await page()]).toEqual([feature, 'version 9'])

  const two = commit('main', 2)
  const latest = await deployed(`/${first.id}/redeploy`, {})
  expect([latest.commit, await page()]).toEqual([two, 'version 2'])
  const same = await deployed(`/${first.id}/redeploy`, { useExistingCommit: true })
  expect([same.commit, same.built, await page()]).toEqual([one, true, 'version 1'])

  const back = await deployed(`/${latest.id}/rollback`, {})
  expect([back.built, await page()]).toEqual([false, 'version 2'])

  const { rows } = await site.world.platform.pool.query('select images from deployment where id = $1', [second.id])
  // The engine keeps containers that have ended for a while, and they their image.
  for (const image of rows[0].images) await engine.getImage(image).remove({ force: true })
  const rebuilt = await deployed(`/${second.id}/rollback`, {})
  expect([rebuilt.built, await page()]).toEqual([true, 'version 9'])
}, 300_000)
