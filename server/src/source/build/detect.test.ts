import { describe, expect, test } from 'vitest'
import { treeOf } from '../../../../test-kit/examples.ts'
import { detect } from './detect.ts'

type Files = Record<string, string>
const from = (files: Files, folder?: string) => detect(treeOf(files), { folder })
const pkg = (more: object = {}) => JSON.stringify({ name: 'app', ...more })
const server = { scripts: { start: 'node server.js' } }

describe('the first that fits counts', () => {
  const layers: [strategy: string, files: Files][] = [
    ['compose', { 'compose.yaml': 'services: { web: { build: . } }' }],
    ['dockerfile', { Dockerfile: 'FROM busybox:1\nEXPOSE 80\n' }],
    ['monorepo', { 'package.json': pkg({ workspaces: ['apps/*'] }), 'apps/a/package.json': pkg(server) }],
    ['server', { 'go.mod': 'module x\n\ngo 1.24\n', 'main.go': 'package main\n' }],
    ['static', { 'index.html': '<h1>hello</h1>' }],
  ]
  test.for(layers.map(([strategy], n) => [strategy, n] as const))(
    '%s before all that follow',
    async ([strategy, n]) => {
      const files = Object.assign(
        {},
        ...layers
          .slice(n)
          .reverse()
          .map(([, one]) => one),
      )
      expect((await from(files)).strategy).toBe(strategy)
    },
  )

  test('a framework before a language before pages', async () => {
    const pages = { 'index.html': '', 'requirements.txt': 'flask', 'app.py': 'app = Flask(__name__)' }
    expect((await from(pages)).framework).toBe('flask')
    const both = { ...pages, 'package.json': pkg({ dependencies: { next: '16' } }) }
    expect(await from(both)).toMatchObject({ framework: 'nextjs', confidence: 'medium' })
    expect((await from(both)).warnings.join()).toContain('python')
  })

  test('a package.json for the pages of Rails, Laravel, Phoenix or Django does not make it a Node application', async () => {
    const assets = {
      'package.json': pkg({ scripts: { build: 'vite build', start: 'vite' }, devDependencies: { vite: '8' } }),
    }
    const rails = { ...assets, Gemfile: "gem 'rails'", 'config/application.rb': '' }
    const phoenix = { ...assets, 'mix.exs': 'app: :shop, {:phoenix, "~> 1.8"}' }
    expect((await from(rails)).framework).toBe('rails')
    expect((await from(phoenix)).framework).toBe('phoenix')
  })
})

describe('says how sure it is and why', () => {
  test('in words that name the file', async () => {
    const files = {
      'package.json': pkg({ dependencies: { next: '^15.2.0' }, engines: { node: '22.x' } }),
      'yarn.lock': '# yarn lockfile v1',
    }
    const { because } = await from(files)
    expect(because).toEqual([
      'package.json has next 15',
      'the lock file is yarn.lock',
      'package.json asks for node 22.x',
    ])
  })

  test('a compose file that only brings a database along is named as such', async () => {
    const files = {
      'compose.yml': 'services: { db: { image: "postgres:17" } }',
      'package.json': pkg(server),
      'server.js': '',
    }
    const { strategy, confidence, warnings } = await from(files)
    expect([strategy, confidence]).toEqual(['compose', 'medium'])
    expect(warnings.join()).toContain('builds nothing of this source')
  })

  test('of several compose files the one is named that is read', async () => {
    const [first, second] = ['first', 'second'].map((name) => `services: { ${name}: { image: "busybox:1" } }`)
    const files = { 'docker-compose.yaml': second ?? '', 'docker-compose.yml': first ?? '' }
    const { because, services } = await from(files)
    expect(because).toEqual(['the source has docker-compose.yml', 'its services are first'])
    expect(services.map(({ name }) => name)).toEqual(['first'])
  })

  test('a server that only the container itself could reach is named', async () => {
    const files = { 'package.json': pkg(server), 'server.js': "app.listen(3000, '127.0.0.1')" }
    expect((await from(files)).warnings.join()).toContain('0.0.0.0')
  })
})

describe('a folder of the source', () => {
  const files = {
    'package.json': pkg({ workspaces: ['apps/*', 'packages/*'] }),
    'package-lock.json': '{}',
    'apps/web/package.json': pkg({ name: 'web', ...server, dependencies: { lib: '*', express: '5' } }),
    'apps/web/server.js': 'listen(process.env.PORT || 4000)',
    'packages/lib/package.json': pkg({ name: 'lib', main: 'index.js', scripts: { build: 'tsc' } }),
    'packages/lib/index.js': '',
  }
  test('is still a package of its workspace: it installs from the root and builds what it needs first', async () => {
    const [whole, alone] = [await from(files), await from(files, './apps/web/')]
    expect(whole.services.map(({ name }) => name)).toEqual(['web'])
    expect(alone).toMatchObject({
      framework: 'express',
      installCommand: 'npm ci --workspace=apps/web --include-workspace-root',
      buildCommand: 'npm run build --workspace=packages/lib',
      context: '',
      port: 4000,
    })
    expect(alone.recipe?.({})).toBe(whole.services[0]?.recipe?.({}))
  })

  test('that is not there is refused by its name', async () => {
    await expect(from(files, 'apps/api')).rejects.toMatchObject({
      code: 'nothing_to_build',
      message: expect.stringContaining('apps/api'),
    })
  })

  test('and one that deploys nothing is refused', async () => {
    await expect(from(files, 'packages')).rejects.toMatchObject({ code: 'nothing_to_build' })
  })
})

describe('the Node that is asked for', () => {
  test.for([
    ['>=18', 24],
    ['^20 || ^22', 22],
    ['20.x', 20],
    ['>= 20 < 23', 22],
    ['18 - 20', 20],
    ['v22.3.1', 22],
    ['lts/*', 24],
    ['lts/iron', 20],
    ['*', 24],
    ['>24', 26],
    ['banana', 24],
  ] as const)('%s → %i', async ([range, major]) => {
    const text = (await from({ 'package.json': pkg(server), '.nvmrc': range })).recipe?.({})
    expect(text).toContain(`FROM node:${major}-slim`)
    const { recipe } = await from({ 'package.json': pkg({ ...server, engines: { node: range } }) })
    if (!range.startsWith('lts')) expect(recipe?.({})).toContain(`FROM node:${major}-slim`)
  })
})

describe('who installs', () => {
  test.for<[how: string, files: Files, command: string]>([
    [
      'packageManager before lock files',
      {
        'package.json': pkg({ ...server, packageManager: 'pnpm@9.1.0', dependencies: { a: '1' } }),
        'package-lock.json': '{}',
      },
      'pnpm install',
    ],
    ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '9.0'" }, 'pnpm install --frozen-lockfile'],
    ['Yarn 1', { 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile'],
    ['Yarn 2 and later', { 'yarn.lock': '# generated\n\n__metadata:\n  version: 8' }, 'yarn install --immutable'],
    ['Bun, binary lock file', { 'bun.lockb': '\0' }, 'bun install --frozen-lockfile'],
    ['npm without a lock file', {}, 'npm install'],
  ])('%s', async ([, files, command]) => {
    const manifest = { 'package.json': pkg({ ...server, dependencies: { a: '1' } }) }
    expect((await from({ ...manifest, ...files })).installCommand).toBe(command)
  })

  test('an old lock file gets the version that reads it', async () => {
    const files = {
      'package.json': pkg({ ...server, dependencies: { a: '1' } }),
      'pnpm-lock.yaml': 'lockfileVersion: 5.4',
    }
    expect((await from(files)).recipe?.({})).toContain('npm install --global --force --no-audit --no-fund pnpm@7')
  })
})
