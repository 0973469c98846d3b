import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { treeOf } from '../../../../test-kit/examples.ts'
import { processorMs } from '../../../../test-kit/processor.ts'
import { detect } from './detect.ts'
import { planBuild } from './plan.ts'

type Files = Record<string, string>
const from = (files: Files) => detect(treeOf(files))
const server = JSON.stringify({ scripts: { start: 'node server.js' } })

describe('what is wrong with a source is told, never thrown as a fault of ours', () => {
  test.for<[how: string, files: Files, word: string]>([
    ['nothing', { 'README.md': '' }, 'no Dockerfile'],
    ['a package.json that is no JSON', { 'package.json': '{' }, 'package.json cannot be read'],
    ['a package.json that is a list', { 'package.json': '[]' }, 'not an object'],
    ['a library', { 'package.json': '{"name":"x","version":"1.0.0"}' }, 'no Dockerfile'],
    ['a broken pyproject.toml', { 'pyproject.toml': '[project' }, 'pyproject.toml cannot be read'],
    ['a broken compose file', { 'compose.yaml': 'services: [' }, 'compose.yaml cannot be read'],
    ['a compose file that grows without end', { 'compose.yaml': laughs() }, 'compose.yaml cannot be read'],
    ['a broken Cargo.toml', { 'Cargo.toml': '= 1' }, 'Cargo.toml cannot be read'],
  ])('%s', async ([, files, word]) => {
    await expect(from(files)).rejects.toMatchObject({
      name: 'Refusal',
      code: 'nothing_to_build',
      message: expect.stringContaining(word),
    })
  })

  test.for<[how: string, manifest: object]>([
    [
      'numbers for text',
      { scripts: { start: 7, build: null }, dependencies: { next: 16 }, main: 3, engines: 'x', packageManager: 1 },
    ],
    ['names of the prototype', { dependencies: JSON.parse('{"__proto__":{"next":"1"},"constructor":"1"}') }],
    ['workspaces that are nonsense', { workspaces: [7, null, '**', '../..'], scripts: { start: 'node x.js' } }],
  ])('%s in package.json', async ([, manifest]) => {
    await from({ 'package.json': JSON.stringify(manifest), 'index.html': '' }).catch((error) => {
      expect(error.code).toBe('nothing_to_build')
    })
  })
})

function laughs(): string {
  const levels = Array.from(
    { length: 12 },
    (_, n) =>
      `l${n}: &l${n} [${Array(10)
        .fill(n === 0 ? 'ha' : `*l${n - 1}`)
        .join(', ')}]`,
  )
  return `${levels.join('\n')}\nservices: *l11\n`
}

describe('no text can keep the server busy', () => {
  const manifest = (dependencies: object) => JSON.stringify({ dependencies })
  const big = (text: string) => text.repeat(Math.ceil(900_000 / text.length))
  test.for<[how: string, files: Files]>([
    ['comments without end', { 'package.json': manifest({ next: '1' }), 'next.config.js': big('/*') }],
    [
      'quotes without end',
      { 'package.json': manifest({ vite: '1' }), 'index.html': '', 'vite.config.js': big('outDir:"a') },
    ],
    ['listening', { 'package.json': server, 'server.js': big('.listen({ port ') }],
    ['ports', { 'package.json': server, 'server.js': big('PORT      || ') }],
    ['scripts', { 'package.json': JSON.stringify({ scripts: { start: big('stencil build ') } }), 'index.js': '' }],
    [
      'patterns',
      {
        'package.json': JSON.stringify({ workspaces: ['*a'.repeat(20_000), `${'**/'.repeat(5000)}x`] }),
        [`${'a'.repeat(200)}/${'a/'.repeat(400)}package.json`]: server,
        'index.js': '',
      },
    ],
    ['requirements', { 'requirements.txt': big('flask '), 'app.py': big('app = ') }],
    ['Django', { 'manage.py': big("DJANGO_SETTINGS_MODULE',  ") }],
    ['Gemfile', { Gemfile: big("gem  'rails'  "), 'config.ru': '' }],
    ['pom.xml', { 'pom.xml': big('<java.version>') }],
    ['mix.exs', { 'mix.exs': big('elixir: "') }],
    ['go', { 'go.mod': big('go 1'), 'main.go': big('package main.Run( "') }],
    ['Dockerfile', { Dockerfile: big('EXPOSE  $A \n') }],
    ['Procfile', { Procfile: big('web:  '), 'package.json': server }],
  ])('%s', async ([, files]) => {
    const taken = await processorMs(() => from(files).catch((error) => expect(error.code).toBe('nothing_to_build')))
    expect(taken).toBeLessThan(2000)
  })

  test('a listing that promises small files and sends large ones is cut off', async () => {
    let sent = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 65_536
          yield Buffer.alloc(65_536, 32)
        }
      })(),
    )
    const entries = [{ kind: 'file' as const, path: 'package.json', size: 10 }]
    await expect(detect({ entries, read: async () => endless })).rejects.toMatchObject({ code: 'nothing_to_build' })
    expect(sent).toBeLessThan(4_000_000)
  })

  test('links in circles lead nowhere', async () => {
    const entries = [
      { kind: 'link' as const, path: 'package.json', target: 'b' },
      { kind: 'link' as const, path: 'b', target: 'package.json' },
      { kind: 'link' as const, path: 'Dockerfile', target: '../../etc/passwd' },
    ]
    await expect(detect({ entries, read: async () => Readable.from([]) })).rejects.toMatchObject({
      code: 'nothing_to_build',
    })
  })

  test('an aborted look ends', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(detect(treeOf({ 'package.json': server }), { signal })).rejects.toThrow('enough')
  })
})

describe('names of the source cannot write instructions', () => {
  test.for<[how: string, files: Files]>([
    [
      'an output directory',
      {
        'package.json': JSON.stringify({ devDependencies: { '@vue/cli-service': '5' } }),
        'vue.config.js': "outputDir: '../../etc'",
      },
    ],
    ['a program of Rust', { 'Cargo.toml': '[package]\nname = "x\\" && id"', 'src/main.rs': '' }],
    [
      'a package of a workspace',
      { 'package.json': '{"workspaces":["apps/*"]}', 'apps/a;id/package.json': server, 'apps/b/package.json': server },
    ],
    [
      'an application of Nx',
      {
        'package.json': '{}',
        'nx.json': '{}',
        'apps/a/project.json':
          '{"name":"a;id","projectType":"application","targets":{"build":{"executor":"@nx/js:tsc"}}}',
      },
    ],
    [
      'an application of Angular',
      { 'package.json': '{"devDependencies":{"@angular/cli":"20"}}', 'angular.json': '{"projects":{"a\\nRUN id":{}}}' },
    ],
  ])('%s', async ([, files]) => {
    const plan = await planBuild(treeOf(files), { strategy: 'auto' }).catch((error) => {
      expect(error.code).toBe('nothing_to_build')
      return null
    })
    if (plan && 'text' in plan.dockerfile) expect(plan.dockerfile.text).not.toMatch(/;id|RUN id|&& id|\/etc/)
  })
})
