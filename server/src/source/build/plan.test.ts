import { describe, expect, test } from 'vitest'
import { readExample, treeOf } from '../../../../test-kit/examples.ts'
import { type BuildSettings, planBuild } from './plan.ts'

type Files = Record<string, string>
const plan = (files: Files, settings: Partial<BuildSettings> = {}) =>
  planBuild(treeOf(files), { strategy: 'auto', ...settings })
const textOf = async (files: Files, settings: Partial<BuildSettings> = {}) => {
  const { dockerfile } = await plan(files, settings)
  return 'text' in dockerfile ? dockerfile.text : ''
}
const refused = { name: 'Refusal', code: 'nothing_to_build' }

describe('what the user wants otherwise', () => {
  const { files } = readExample('express')
  test('replaces commands, port and nothing else', async () => {
    const settings = {
      installCommand: 'npm i --force',
      buildCommand: 'npm run x',
      startCommand: 'node y.js',
      port: 9000,
    }
    const text = await textOf(files, settings)
    for (const line of ['npm i --force', 'RUN npm run x', 'CMD ["node", "y.js"]', 'EXPOSE 9000', 'PORT=9000']) {
      expect(text).toContain(line)
    }
    expect((await plan(files, settings)).port).toBe(9000)
  })

  test('secrets are mounted for installing and building, and named nowhere else', async () => {
    const text = await textOf(readExample('node-typescript').files, { secrets: ['NPM_TOKEN'] })
    const lines = text.split('\n').filter((line) => line.includes('NPM_TOKEN'))
    expect(
      lines.every((line) => line.startsWith('RUN --mount=type=') && line.includes('type=secret,id=NPM_TOKEN')),
    ).toBe(true)
    expect(lines).toHaveLength(2)
  })

  test('pages listen where they are told', async () => {
    expect(await textOf(readExample('vite-react').files, { port: 5000 })).toContain('EXPOSE 5000')
    expect(await textOf(readExample('static-html').files, { port: 5000 })).toContain('PORT=5000')
  })

  test('a start command makes a server of what would be pages', async () => {
    const text = await textOf(readExample('vite-react').files, { startCommand: 'vite preview --host' })
    expect(text).toContain('CMD ["vite", "preview", "--host"]')
    expect(text).not.toContain('caddy')
  })

  test('an output directory that an instruction would misread is refused', async () => {
    const settings = { outputDirectory: 'a*b' }
    await expect(plan(readExample('vite-react').files, settings)).rejects.toMatchObject(refused)
  })
})

describe('a strategy that is asked for', () => {
  test('dockerfile: the named one, or a refusal', async () => {
    const files = { 'docker/web.Dockerfile': 'FROM busybox:1\nEXPOSE 81\n', 'package.json': '{}' }
    const { dockerfile, port } = await plan(files, { dockerfile: 'docker/web.Dockerfile' })
    expect([dockerfile, port]).toEqual([{ inContext: 'docker/web.Dockerfile' }, 81])
    await expect(plan(files, { strategy: 'dockerfile' })).rejects.toMatchObject(refused)
  })

  test('static: pages that are there, those of a folder, or those that a build leaves', async () => {
    const mixed = { 'index.html': '', 'www/index.html': '', 'package.json': '{"scripts":{"start":"node x.js"}}' }
    expect(await textOf(mixed, { strategy: 'static' })).toContain('COPY ./ /srv/')
    expect(await textOf(mixed, { strategy: 'static', outputDirectory: 'www' })).toContain('COPY www/ /srv/')
    const built = { 'package.json': '{"scripts":{"build":"make","start":"node x.js"}}' }
    const text = await textOf(built, { strategy: 'static', outputDirectory: 'made' })
    expect(text).toContain('COPY --from=build /app/made/ /srv/')
    await expect(plan({ 'x.txt': '' }, { strategy: 'static' })).rejects.toMatchObject(refused)
  })
})

describe('a part of the source', () => {
  const { files } = readExample('monorepo-npm')
  const paths = async (settings: Partial<BuildSettings>, source = files) =>
    (await plan(source, settings)).tree.entries.map(({ path }) => path).sort()

  test('of a workspace is built from the whole of it', async () => {
    expect(await paths({ rootDirectory: 'apps/api' })).toEqual(Object.keys(files).sort())
  })

  test('that stands alone is built from its folder', async () => {
    const alone = await paths({ rootDirectory: './frontend/' }, readExample('monorepo-folders').files)
    expect(alone).toEqual(['index.html', 'main.js', 'package-lock.json', 'package.json'])
  })

  test('must be named when there are several, and need not be when there is one', async () => {
    await expect(plan(files)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('apps/api, apps/web'),
    })
    expect((await plan(readExample('monorepo-nx').files)).strategy).toBe('server')
  })

  test('its contents are those of the source', async () => {
    const { tree } = await plan(readExample('monorepo-folders').files, { rootDirectory: 'frontend' })
    const entry = tree.entries.find(({ path }) => path === 'main.js')
    if (entry?.kind !== 'file') throw new Error('main.js is missing')
    const chunks: Buffer[] = []
    for await (const chunk of await tree.read(entry)) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toBe("fetch('/api')\n")
  })
})

test('a compose file says nothing about how one image is built', async () => {
  const { files } = readExample('compose-over-dockerfile')
  expect((await plan(files)).dockerfile).toEqual({ inContext: 'Dockerfile' })
})
