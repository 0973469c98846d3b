import { expect, test } from 'vitest'
import type { Entry } from './entry.ts'
import { readFolder } from './read-folder.ts'

type Tree = { [name: string]: string | Tree }
let opened: string[] = []

const entriesOf = (tree: Tree, at = ''): Entry[] =>
  Object.entries(tree).map(([name, inside]) =>
    typeof inside === 'string'
      ? { kind: 'file', name, file: async () => new File([inside], name) }
      : {
          kind: 'folder',
          name,
          entries: async () => {
            opened.push(`${at}${name}`)
            return entriesOf(inside, `${at}${name}/`)
          },
        },
  )

const read = async (tree: Tree) => {
  opened = []
  const folder = await readFolder(entriesOf({ shop: tree }))
  return { ...folder, paths: folder.files.map(({ path }) => path) }
}

test('folders that are never sent are not even opened, and rules of git hold in every folder', async () => {
  const { paths, leftOut, name } = await read({
    '.gitignore': 'dist\n*.log\n!keep.log\n',
    'index.html': '<h1>',
    'a.log': '',
    'keep.log': '',
    node_modules: { react: { 'index.js': '' } },
    '.git': { HEAD: 'ref' },
    dist: { 'out.js': '' },
    src: { '.gitignore': '/made\n', 'x.ts': '', made: { 'y.ts': '' }, node_modules: {} },
  })
  expect([name, paths]).toEqual(['shop', ['.gitignore', 'index.html', 'keep.log', 'src/.gitignore', 'src/x.ts']])
  expect(leftOut).toEqual(['.git/', 'a.log', 'dist/', 'node_modules/', 'src/made/', 'src/node_modules/'])
  expect(opened).toEqual(['shop', 'shop/src'])
})

test('files of secrets stay: the names in them are told, and nothing else', async () => {
  const { paths, leftOut, variables } = await read({
    '.env': 'DATABASE_URL=postgres://secret\n',
    '.env.local': 'export TOKEN="abc"\n',
    '.env.example': 'SMTP_HOST=\n',
    'a.txt': '',
  })
  expect(paths).toEqual(['.env.example', 'a.txt'])
  expect(leftOut).toEqual(['.env', '.env.local'])
  expect(variables).toEqual(['DATABASE_URL', 'SMTP_HOST', 'TOKEN'])
})

test('slipway.json asks back what is ignored, and one that is broken is told of', async () => {
  const file = JSON.stringify({ project: 'shop', include: ['dist'], exclude: ['*.md'], services: [{ name: 'web' }] })
  const { paths, said } = await read({
    'slipway.json': file,
    '.gitignore': 'dist\n',
    'README.md': '',
    dist: { 'a.js': '' },
  })
  expect(paths).toEqual(['.gitignore', 'dist/a.js', 'slipway.json'])
  expect(said).toMatchObject({ project: 'shop', services: [{ name: 'web' }] })
  expect((await read({ 'slipway.json': '{', 'a.txt': '' })).said.problem).toContain('slipway.json is not heeded')
})

test('a name that no server takes keeps only itself here', async () => {
  const { paths, unsendable } = await read({ 'a\\b': '', 'c.txt': '' })
  expect(paths).toEqual(['c.txt'])
  expect(unsendable).toEqual([{ path: 'a\\b', because: 'its name has a backslash in it' }])
})
