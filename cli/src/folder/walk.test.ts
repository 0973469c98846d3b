import { execFileSync } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { RuleOptions } from '@slipway/contract/folder-rules'
import { expect, test } from 'vitest'
import { newHome } from '../../test/run-here.ts'
import { walk } from './walk.ts'

async function folder(files: Record<string, string>): Promise<string> {
  const root = await newHome()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

const sentOf = async (root: string, options?: RuleOptions) =>
  (await walk(root, options)).contents.map(({ path }) => path)

/** Rules as people write them, in several folders, that contradict each other. */
const RULES = {
  '.gitignore': [
    '# a comment',
    '*.log',
    '!keep.log',
    'build/',
    '/top.txt',
    'deep/**/x.js',
    'docs/*.md',
    '!docs/index.md',
    'trailing ',
    '\\#hash',
    'a/b/c',
  ].join('\n'),
  'a/.gitignore': '!build/\n*.tmp\n/only-here\nb/d\n',
  'a/sub/.gitignore': '!*.tmp\n*\n!.gitignore\n!kept\n',
  'pages/[slug]/.gitignore': '*.gen\n',
}
const FILES = [
  ...[
    'x.log',
    'keep.log',
    'build/out.js',
    'top.txt',
    'sub/top.txt',
    'deep/x.js',
    'deep/1/2/x.js',
    'deep/y.js',
    'docs/a.md',
    'docs/index.md',
  ],
  ...['docs/more/a.md', 'trailing', '#hash', 'a/b/c', 'z/a/b/c', 'a/build/out.js', 'a/build/x.log', 'a/x.tmp'],
  ...[
    'a/only-here',
    'a/q/only-here',
    'a/b/d',
    'a/q/b/d',
    'a/sub/x.tmp',
    'a/sub/kept',
    'a/sub/lost',
    'b/x.tmp',
    'pages/[slug]/a.gen',
  ],
  ...['pages/[slug]/a.ts', 'pages/other/a.gen', 'a b/c d.txt'],
]

test('what git would leave out is left out, rules of every folder included', async () => {
  const root = await folder({ ...Object.fromEntries(FILES.map((path) => [path, path])), ...RULES })
  execFileSync('git', ['init', '--quiet', root])
  const git = execFileSync(
    'git',
    ['-c', 'core.quotePath=false', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', HOME: root },
    },
  )
  expect(await sentOf(root)).toEqual(git.split('\0').filter(Boolean).sort())
})

test('.slipwayignore goes after .gitignore, and slipway.json after both', async () => {
  const root = await folder({
    '.gitignore': 'dist\nnotes\n',
    '.slipwayignore': '!notes\nfixtures\n',
    'dist/main.js': '',
    'dist/more/x.js': '',
    'notes/a': '',
    'fixtures/a': '',
    'src/a.ts': '',
    'src/a.test.ts': '',
  })
  const rules = ['.gitignore', '.slipwayignore']
  expect(await sentOf(root)).toEqual([...rules, 'notes/a', 'src/a.test.ts', 'src/a.ts'])
  const options = { include: ['./dist/'], exclude: ['*.test.ts'] }
  expect(await sentOf(root, options)).toEqual([...rules, 'dist/main.js', 'dist/more/x.js', 'notes/a', 'src/a.ts'])
  expect(await sentOf(root, { include: ['dist/more'] })).toEqual([
    ...rules,
    'dist/more/x.js',
    'notes/a',
    'src/a.test.ts',
    'src/a.ts',
  ])
})

test('secrets of this machine and what is made again are never sent, whatever the rules say', async () => {
  const root = await folder({
    '.gitignore': '!.env\n!node_modules\n',
    '.env': 'A=1',
    '.env.production': 'A=1',
    '.ENV.local': 'A=1',
    'app/.env': 'A=1',
    '.env.example': 'A=',
    'node_modules/a/index.js': '',
    'app/__pycache__/a.pyc': '',
    '.git/HEAD': '',
    '.slipway/link.json': '',
    'app.js': '',
  })
  expect(await sentOf(root, { include: ['.env', 'node_modules'] })).toEqual(['.env.example', '.gitignore', 'app.js'])
  expect(await sentOf(root, { includeEnv: true })).toEqual([
    '.ENV.local',
    '.env',
    '.env.example',
    '.env.production',
    '.gitignore',
    'app.js',
    'app/.env',
  ])
})

test('links go as links, programs as programs, and what is no file is named', async () => {
  const root = await folder({ run: '', 'a.txt': 'four' })
  await chmod(join(root, 'run'), 0o700)
  await symlink('a.txt', join(root, 'link'))
  await symlink('/nowhere/at/all', join(root, 'dangling'))
  const socket = createServer().listen(join(root, 'sock'))
  await new Promise((done) => socket.once('listening', done))
  const walked = await walk(root)
  socket.close()
  expect(walked.contents).toMatchObject([
    { path: 'a.txt', mode: 0o644, size: 4 },
    { path: 'run', mode: 0o755 },
  ])
  expect(walked.links).toEqual([
    { path: 'dangling', link: '/nowhere/at/all' },
    { path: 'link', link: 'a.txt' },
  ])
  expect(walked.unsendable).toEqual([{ path: 'sock', because: 'it is a socket' }])
})
