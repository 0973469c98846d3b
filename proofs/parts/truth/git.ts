import { readFileSync } from 'node:fs'
import { labPart } from '../../../lab/ask.ts'
import type { GitHost } from '../../../test-kit/git-host.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { type Case, serves, type Wrong, wordsOf } from './case.ts'

type Git = { url: string; branch?: string; gitCredential?: object }

/** A project of a git repository, over a release that serves. */
const fromGit =
  (name: string, git: (host: GitHost) => Git, wrong: Omit<Wrong, 'step'>) =>
  (host: GitHost): Case => ({
    name,
    run: (bench) =>
      bench.borrow(async (serving) => {
        const { url, branch, gitCredential = null } = git(host)
        await bench.site.ask('PATCH', `/api/projects/${serving.projectId}`, { repository: url, gitCredential })
        const seen = await bench.deploy(serving.projectId, { from: { ...(branch !== undefined && { branch }) } })
        const words = await wordsOf(bench, seen, { step: 'source', ...wrong })
        const told = JSON.stringify([seen, await bench.lines(seen.id)])
        const leaked = told.includes(TOKEN) || told.includes('wrong-token') ? ['the token is shown'] : []
        return [...words, ...leaked, ...(await serves(bench, serving))]
      }),
  })

export const TOKEN = 'git-t0ken-of-the-truth'
const token = { gitCredential: { kind: 'token', token: TOKEN } }
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4'.repeat(64)}\nsize 12345\n`

const hostKey = () => readFileSync(labPart('host1').hostKeyFile, 'utf8').trim()

/** The same repository through the sshd of one of the lab's machines. */
function overSsh(host: GitHost, shown: string): Git {
  const { address, user, keyFile } = labPart('host1')
  const privateKey = readFileSync(keyFile, 'utf8')
  return {
    url: `ssh://${user}@${address}${host.path('app')}`,
    gitCredential: { kind: 'key', privateKey, hostKeys: [shown] },
  }
}

export const gitCases = (host: GitHost): Case[] => [
  ...[
    fromGit('git: a branch that is not there', ({ url }) => ({ url: url('app'), branch: 'nosuch', ...token }), {
      code: 'git_branch_missing',
      message: /has no such branch/,
      hint: /spelling of the branch/,
    }),
    fromGit(
      'git: a wrong token',
      ({ url }) => ({ url: url('app'), gitCredential: { kind: 'token', token: 'wrong-token' } }),
      { code: 'git_auth_failed', message: /did not accept the credential/, hint: /token or deploy key is valid/ },
    ),
    fromGit('git: no token', ({ url }) => ({ url: url('app') }), {
      code: 'git_auth_failed',
      message: /asks for one/,
      hint: /Send gitCredential to PATCH \/api\/projects\/:id/,
    }),
    fromGit('git: a repository that is not there', ({ url }) => ({ url: url('nosuch'), ...token }), {
      code: 'git_repository_not_found',
      message: /has no such repository/,
      hint: /Check the address/,
    }),
    fromGit('git: a host that does not listen', () => ({ url: 'https://127.0.0.1:9/app.git' }), {
      code: 'git_unreachable',
      message: /cannot be reached/,
      hint: /firewall/,
    }),
    fromGit('git: a host that is no name', () => ({ url: 'https://git.invalid/app.git' }), {
      code: 'git_unreachable',
      message: /host name git\.invalid could not be resolved/,
      hint: /Check the address/,
    }),
    fromGit('git: SSH without a key', () => ({ url: 'git@git.invalid:app.git' }), {
      code: 'git_auth_failed',
      message: /over SSH, and the project has no deploy key/,
      hint: /kind "key"/,
    }),
    fromGit(
      'git: SSH, and the host shows another key',
      (one) => overSsh(one, `ssh-ed25519 ${Buffer.alloc(51, 1).toString('base64')}`),
      { code: 'git_host_key_refused', message: /another host key/, hint: /operator publishes/ },
    ),
  ].map((make) => make(host)),
  {
    name: 'git: over SSH, with a deploy key',
    async run(bench, slug) {
      const { url, gitCredential } = overSsh(host, hostKey())
      const projectId = await bench.project(slug, { repository: url, branch: 'main', gitCredential })
      const seen = await bench.deploy(projectId, { from: {} })
      const { text } = await bench.site.visit(slug)
      const secret = readFileSync(labPart('host1').keyFile, 'utf8').split('\n')[1] ?? '?'
      const told = JSON.stringify([
        seen,
        await bench.lines(seen.id),
        await bench.site.ask('GET', `/api/projects/${projectId}`),
      ])
      return [
        ...(seen.status === 'ready' ? [] : [`it is ${seen.status}: ${JSON.stringify(seen.error)}`]),
        ...(text === 'version 1' ? [] : [`the edge answers ${text}`]),
        ...(told.includes(secret) ? ['the key is shown'] : []),
      ]
    },
  },
  {
    name: 'git: a private repository, with what a build will miss',
    async run(bench, slug) {
      const files = {
        ...app(GOOD),
        '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
        'big.bin': pointer,
        vendor: { submodule: 'a'.repeat(40) },
      }
      const sha = host.commit(slug, files, { message: 'The one' })
      const projectId = await bench.project(slug, { repository: host.url(slug), branch: 'main', ...token })
      const seen = await bench.deploy(projectId, { from: {} })
      const lines = (await bench.lines(seen.id)).join('\n')
      const { text } = await bench.site.visit(slug)
      return [
        ...(seen.status === 'ready' ? [] : [`it is ${seen.status}: ${JSON.stringify(seen.error)}`]),
        ...(seen.source.commitSha === sha && seen.source.commitMessage === 'The one'
          ? []
          : ['another commit is recorded']),
        ...(/Submodules are not fetched.*"vendor"/.test(lines) ? [] : ['no word about the submodule']),
        ...(/Git LFS.*"big\.bin"/.test(lines) ? [] : ['no word about LFS']),
        ...(text === 'version 1' ? [] : [`the edge answers ${text}`]),
      ]
    },
  },
]
