import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { VERSION } from '../src/version.ts'
import { answering, sendJson } from './answering.ts'
import { deployment, project } from './deployments.ts'
import { newHome, slipway } from './run-here.ts'

const ROOT = join(import.meta.dirname, '../..')
const IMAGE = `registry.example.com/acme/shop@sha256:${'a'.repeat(64)}`

/** The parser that the server has; the command line needs none. */
const { parse } = createRequire(join(ROOT, 'server/package.json'))('yaml') as { parse(text: string): unknown }
const yamlIn = (file: string) => parse(readFileSync(join(ROOT, 'integrations', file), 'utf8'))

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

/** An instance on which everything goes live, or nothing; it keeps what it was asked to deploy. */
async function instance(status: 'ready' | 'failed') {
  const asked: { body: Record<string, unknown>; token: string | undefined }[] = []
  server = await answering(async (request, answer) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    const body = await text(request)
    if (pathname === '/api/instance')
      return sendJson(answer, { version: VERSION, commit: null, mode: 'self_hosted', cli: { least: '0', newest: '9' } })
    if (pathname === '/api/projects') return sendJson(answer, { data: [project], nextCursor: null })
    if (pathname.endsWith('/ensure')) return sendJson(answer, { success: true, created: false, project })
    if (pathname.includes('folder-sessions'))
      return sendJson(answer, { uploadSessionId: 'upl_1', mode: 'local', state: 'open', missing: [] })
    if (pathname.endsWith('/access')) {
      asked.push({ body: JSON.parse(body), token: request.headers.authorization })
      return sendJson(answer, { success: true, deployment_id: 'dep_2', project_id: 'prj_1' }, 201)
    }
    if (pathname === '/api/deployments') return sendJson(answer, { data: [], nextCursor: null })
    if (pathname.endsWith('/stream')) return answer.writeHead(204).end()
    sendJson(answer, deployment({ status }))
  })
  return { url: server.url, asked }
}

/** The command line from its sources, as one program. */
async function program(folder: string): Promise<string> {
  const file = join(folder, 'slipway.mjs')
  const main = JSON.stringify(join(ROOT, 'cli/src/main.ts'))
  await writeFile(file, `#!${process.execPath}\nawait import(${main})\n`, { mode: 0o755 })
  return file
}

function started(argv: string[], env: NodeJS.ProcessEnv, cwd: string) {
  const child = spawn(process.execPath, argv, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)))
  return new Promise<{ code: number | null; printed: string }>((done) =>
    child.once('close', (code) => done({ code, printed: printed.join('') })),
  )
}

type Action = { inputs: Record<string, { default?: string }>; runs: { using: string; main: string } }

/** As a runner does: each input as a variable, then the program that the file names. */
async function runAction(given: Record<string, string>) {
  const { inputs, runs } = yamlIn('github/action.yml') as Action
  const said = {
    ...Object.fromEntries(Object.entries(inputs).map(([name, one]) => [name, one.default ?? ''])),
    ...given,
  }
  expect(Object.keys(said).sort()).toEqual(Object.keys(inputs).sort())
  const cwd = await newHome()
  await writeFile(join(cwd, 'index.html'), 'Hello')
  const output = join(await newHome(), 'output')
  const env = {
    PATH: process.env.PATH,
    HOME: await newHome(),
    CI: 'true',
    NODE_OPTIONS: '--conditions=slipway-source --disable-warning=ExperimentalWarning',
    GITHUB_OUTPUT: output,
    ...Object.fromEntries(Object.entries(said).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  }
  const ended = await started([join(ROOT, 'integrations/github', runs.main)], env, cwd)
  return { ...ended, output: await readFile(output, 'utf8').catch(() => '') }
}

test('the action deploys a folder with the token of a project, and hands on its address', async () => {
  const { url, asked } = await instance('ready')
  const cli = await program(await newHome())
  const { code, output, printed } = await runAction({ url, token: 'slp_ci', project: 'shop', cli })
  expect([code, output], printed).toEqual([0, 'url=https://shop.example.com\n'])
  expect(asked).toEqual([
    { token: 'Bearer slp_ci', body: { projectId: 'prj_1', uploadSessionId: 'upl_1', dryRun: false } },
  ])
  expect(printed).not.toContain('slp_ci')
})

test('the action deploys an image by its digest, and ends as the deployment ends', async () => {
  const { url, asked } = await instance('failed')
  const cli = await program(await newHome())
  const { code, output, printed } = await runAction({ url, token: 'slp_ci', project: 'shop', cli, image: IMAGE })
  expect([code, output], printed).toEqual([5, ''])
  expect(asked).toMatchObject([{ body: { image: IMAGE } }])
})

type Job = { extends?: string; variables?: Record<string, string>; script?: string[] }

/** Words of a line as a shell would hand them on; whatever else a shell could do with it is an error here. */
function wordsOf(line: string, variables: Record<string, string>): string[] {
  return line.split(' ').map((word) => {
    expect(word).toMatch(/^(?:[\w./@-]+|"\$\w+")$/)
    return word.startsWith('"') ? (variables[word.slice(2, -1)] ?? '') : word
  })
}

test.each([
  ['.slipway-deploy', {}, { uploadSessionId: 'upl_1' }],
  ['.slipway-deploy-image', { SLIPWAY_IMAGE: IMAGE }, { image: IMAGE }],
])('the job %s of the template deploys, and ends as the deployment ends', async (name, given, deployed) => {
  const jobs = yamlIn('gitlab/slipway.yml') as Record<string, Job>
  const { extends: base = '', script = [] } = jobs[name] ?? {}
  for (const [status, exit] of [['ready', 0] as const, ['failed', 5] as const]) {
    const { url, asked } = await instance(status)
    const variables = { ...jobs[base]?.variables, ...given }
    const [program, yes, cli, ...argv] = wordsOf(script.join('\n'), variables)
    expect([program, yes, cli]).toEqual(['npx', '--yes', '$SLIPWAY_URL/cli/slipway.tgz'])
    const env = { SLIPWAY_URL: url, SLIPWAY_TOKEN: 'slp_ci', SLIPWAY_PROJECT: 'shop', CI: 'true' }
    const cwd = await newHome()
    await writeFile(join(cwd, 'index.html'), 'Hello')
    const { code, err } = await slipway(argv, { env, cwd })
    expect(code, err).toBe(exit)
    expect(asked).toMatchObject([{ token: 'Bearer slp_ci', body: deployed }])
    server?.close()
  }
})

test('the action takes the command line that the instance hands out, unless it is told another', async () => {
  const folder = await newHome()
  const npx = join(folder, 'npx')
  await writeFile(npx, `#!${process.execPath}\nconsole.error(process.argv.slice(2).join(' '))\n`, { mode: 0o755 })
  const path = process.env.PATH
  process.env.PATH = `${folder}:${path}`
  try {
    const { printed } = await runAction({ url: 'https://slipway.example.com', token: 'slp_ci' })
    expect(printed).toMatch(/^--yes https:\/\/slipway\.example\.com\/cli\/slipway\.tgz deploy --wait --no-input /)
  } finally {
    process.env.PATH = path
  }
})
