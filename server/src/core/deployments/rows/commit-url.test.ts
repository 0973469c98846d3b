import { expect, test } from 'vitest'
import { commitUrlOf } from './commit-url.ts'

const commitSha = '78125a5c0ffee'
const of = (repo: string, sha = commitSha) => commitUrlOf({ kind: 'git', repo, commitSha: sha })

test('the page of a commit is known of well-known hosts, however their repositories are written', () => {
  expect(of('https://github.com/acme/shop.git')).toBe(`https://github.com/acme/shop/commit/${commitSha}`)
  expect(of('git@GitHub.com:acme/shop.git')).toBe(`https://github.com/acme/shop/commit/${commitSha}`)
  expect(of('ssh://git@gitlab.com:22/acme/deep/shop')).toBe(`https://gitlab.com/acme/deep/shop/-/commit/${commitSha}`)
  expect(of('https://bitbucket.org/acme/shop/')).toBe(`https://bitbucket.org/acme/shop/commits/${commitSha}`)
})

test('of other hosts, without a commit, and of an address that is none, nothing is made up', () => {
  expect(of('https://git.example.com/acme/shop')).toBeNull()
  expect(of('https://github.com.evil.example/acme/shop')).toBeNull()
  expect(of('https://github.com/../x')).toBeNull()
  expect(of('https://github.com/acme/shop', 'main')).toBeNull()
  expect(commitUrlOf({ kind: 'upload' })).toBeNull()
})
