import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectFolders } from './project-folders.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-folders-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

test('the folders of a project are found wherever it was built, and go without those of others', async () => {
  const folders = projectFolders(dataDir)
  expect(await folders.projects()).toEqual([])
  const paths = ['contexts/srv_a/prj_one', 'contexts/srv_b/prj_one', 'contexts/srv_b/prj_two', 'repositories/prj_three']
  for (const path of paths) mkdirSync(join(dataDir, path), { recursive: true })
  for (const project of ['prj_one', 'prj_two'])
    writeFileSync(join(dataDir, `contexts/srv_b/.${project}.manifest`), '{}')
  mkdirSync(join(dataDir, 'contexts/srv_b/.prj_one.unfinished-a.b.c-x'))
  expect((await folders.projects()).toSorted()).toEqual(['prj_one', 'prj_three', 'prj_two'])
  await folders.remove('prj_one')
  expect((await folders.projects()).toSorted()).toEqual(['prj_three', 'prj_two'])
  expect(existsSync(join(dataDir, 'contexts/srv_b/.prj_two.manifest'))).toBe(true)
})
