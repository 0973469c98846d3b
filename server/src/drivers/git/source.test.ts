import { describe, expect, test } from 'vitest'
import type { GitCredential } from './git.ts'
import { leavingLinks } from './links.ts'
import { checkBranch, checkCommit, placeOf } from './source.ts'

const key: GitCredential = { kind: 'key', privateKey: 'x', hostKeys: ['ssh-ed25519 AAAA'] }
const refused = expect.objectContaining({ code: 'git_source_invalid' })

describe('an address', () => {
  test.for([
    ['https://host.example/owner/repository.git', 'https', 'host.example', 443],
    ['https://host.example:8443/a/b', 'https', 'host.example', 8443],
    ['ssh://git@host.example:2222/a/b.git', 'ssh', 'host.example', 2222],
    ['ssh://git@[2001:db8::1]/a/b.git', 'ssh', '[2001:db8::1]', 22],
    ['git@host.example:owner/repository.git', 'ssh', 'host.example', 22],
    ['git@host.example:~user/repository.git', 'ssh', 'host.example', 22],
  ] as const)('%s is taken', ([url, transport, host, port]) => {
    const credential = transport === 'ssh' ? key : null
    expect(placeOf({ url, branch: null, credential }, false)).toEqual({ url, transport, host, port })
  })

  test.for([
    'ext::sh -c id',
    'ext::id%20x',
    'file:///etc',
    '/etc',
    'git://host.example/a',
    'http://host.example/a',
    'ftp://host.example/a',
    '--upload-pack=id',
    '-x',
    '-oProxyCommand=id@host:path',
    'ssh://-oProxyCommand=id/x',
    'ssh://git@-oProxyCommand=id/x',
    'git@-oProxyCommand=id:x',
    'git@host.example:-x',
    'git@host.example://x',
    'ssh://host.example/no-user',
    'ssh://git:secret@host.example/a',
    'https://user:secret@host.example/a',
    'https://token@host.example/a',
    'https://host.example',
    'https://host.example/a?x=y',
    'https://host.example/a#b',
    'https://host.example/a\nb',
    'https://host.example/a b',
    'https:\\\\host.example\\a',
    'https://host.example/\0',
    `https://host.example/${'a'.repeat(2000)}`,
    '',
  ])('%j is refused', (url) => {
    for (const credential of [null, key]) {
      const refusal = () => placeOf({ url, branch: null, credential }, false)
      expect(refusal).toThrow(refused)
      expect(refusal).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }))
    }
  })

  test('goes with the kind of credential that its transport takes', () => {
    const over = (url: string, credential: GitCredential | null) => () =>
      placeOf({ url, branch: null, credential }, false)
    expect(over('git@host.example:a', null)).toThrow(refused)
    expect(over('git@host.example:a', { kind: 'token', token: 't' })).toThrow(refused)
    expect(over('https://host.example/a', key)).toThrow(refused)
  })
})

describe('a branch', () => {
  test.for(['main', 'feature/x-1', 'v1.0', 'Ünïcode', 'a@b', 'renovate/npm-a+b'])('%s is taken', (branch) => {
    expect(checkBranch(branch)).toBe(branch)
  })

  test.for([
    '--upload-pack=id',
    '-x',
    'a\nb',
    'a b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a*',
    'a?',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a\0',
    '\ud800',
    'a'.repeat(201),
    '',
  ])('%j is refused', (branch) => {
    expect(() => checkBranch(branch)).toThrow(refused)
  })
})

test('a commit is nothing but its digits', () => {
  expect(checkCommit('0123456789abcdef0123456789abcdef01234567')).toHaveLength(40)
  for (const text of ['HEAD', '--output=x', '0123', 'G'.repeat(40), `${'a'.repeat(40)}\n`]) {
    expect(() => checkCommit(text)).toThrow(refused)
  }
})

test('links are followed to where they really lead', () => {
  const links = {
    inside: 'a/b',
    'a/up': '../inside',
    'a/b/far': '../../..',
    absolute: '/etc/passwd',
    out: '../x',
    'via-up': 'a/up/../../..',
    round: 'round2',
    round2: 'round',
    empty: '',
    'a/missing': 'nothing/here',
    self: '.',
  }
  const leaving = leavingLinks(new Map(Object.entries(links)))
  expect([...leaving].toSorted()).toEqual(['a/b/far', 'absolute', 'empty', 'out', 'round', 'round2', 'via-up'])
})
