import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ReadableTree } from '../build/source-tree.ts'
import { readCompose } from './read.ts'
import type { ComposeOptions } from './reading.ts'

function machine(files: Record<string, string>, has: (path: string) => boolean = () => true) {
  const missed: string[] = []
  const tree: ReadableTree = {
    entries: Object.entries(files)
      .filter(([path]) => has(path))
      .map(([path, text]) => ({ kind: 'file' as const, path, size: text.length })),
    read: async ({ path }) => Readable.from([Buffer.from(files[path] ?? '')]),
    machine: { missed: (path) => missed.push(path) },
  }
  const read = (options: Partial<ComposeOptions>) =>
    readCompose(tree, { environment: {}, projectName: 'p', files: ['/srv/blog/compose.yaml'], ...options })
  return { read, missed }
}

test('on a machine, absolute paths and those that go upwards are files of it', async () => {
  const { read } = machine({
    'srv/blog/compose.yaml':
      'services: {a: {extends: {file: ../base.yaml, service: b}, env_file: [/etc/app/x.env], volumes: ["./d:/d"]}}',
    'srv/base.yaml': 'services: {b: {image: x}}',
    'etc/app/x.env': 'X=1',
  })
  const { project } = await read({})
  expect(project.services.a).toMatchObject({ image: 'x', environment: { X: '1' }, volumes: [{ source: 'srv/blog/d' }] })
})

test('on a machine, what is asked for and not among the entries is told', async () => {
  const files = { 'srv/blog/compose.yaml': 'services: {a: {image: x, env_file: [{path: a.env, required: false}]}}' }
  const { read, missed } = machine(files)
  await read({})
  expect(missed).toEqual(['srv/blog/.env', 'srv/blog/a.env'])
  const empty = machine(files, () => false)
  await expect(empty.read({})).rejects.toThrow('there is no file')
  expect(empty.missed).toContain('srv/blog/compose.yaml')
})

test('a folder and env files that were named when a project was started count instead of the usual ones', async () => {
  const { read } = machine({
    'srv/blog/compose.yaml': 'services: {a: {image: "x:$TAG", volumes: ["./d:/d"]}}',
    'srv/blog/.env': 'TAG=wrong',
    'opt/git.env': 'TAG=right',
  })
  const { project } = await read({ folder: 'opt/here', envFiles: ['opt/git.env'] })
  expect(project.services.a).toMatchObject({ image: 'x:right', volumes: [{ source: 'opt/here/d' }] })
})
