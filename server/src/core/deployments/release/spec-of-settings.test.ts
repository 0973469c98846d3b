import type { ServiceConfig } from '@slipway/contract/services'
import { expect, test } from 'vitest'
import { specOf } from './spec-of-settings.ts'

const facts = {
  id: 'sha256:1',
  digests: [],
  pinned: null,
  sizeBytes: 1,
  platform: 'linux/amd64',
  ports: [],
  healthcheck: null,
  user: '',
  volumes: [],
  labels: {},
  checks: 'http' as const,
}
const spec = (config: ServiceConfig) =>
  specOf({
    org: 'org_1',
    project: 'prj_1',
    deployment: 'dep_1',
    service: 'web',
    image: 'app:1',
    facts,
    port: 3000,
    config,
    environment: {},
    networks: [],
  })

test.each<[string, string[]]>([
  ['node server.js', ['node', 'server.js']],
  ['  node   server.js  ', ['node', 'server.js']],
  [`node -e 'log("a b"); run()'`, ['node', '-e', 'log("a b"); run()']],
  [`x --name="John \\"J\\" Doe" a\\ b`, ['x', '--name=John "J" Doe', 'a b']],
  [`x '' "" $HOME | *`, ['x', '', '', '$HOME', '|', '*']],
  [`x "a\\nb" 'c\\d'`, ['x', 'a\\nb', 'c\\d']],
  ['x\n-y\t-z', ['x', '-y', '-z']],
])('the command %j is these words, and no shell reads it', (command, words) => {
  expect(spec({ command }).command).toEqual(words)
  expect(spec({ healthcheck: { command } }).healthcheck).toMatchObject({ kind: 'command', argv: words })
})

test('a list of words is taken as it is', () => {
  const command = ['node', '-e', 'a "b" c', '']
  expect(spec({ command }).command).toEqual(command)
})

test('how it is restarted is what was asked for', () => {
  expect(spec({}).restart).toBe('always')
  expect(spec({ restart: 'unless-stopped' }).restart).toBe('always')
  expect(spec({ restart: 'on-failure' }).restart).toBe('on-failure')
  expect(spec({ restart: 'no' }).restart).toBe('never')
})
