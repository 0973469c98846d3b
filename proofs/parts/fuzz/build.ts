import { content, sendFolder } from '../../../test-kit/send-folder.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import type { Arrived } from './arrive.ts'
import { differences, quoted } from './arrive.ts'
import { type Hostile, names, sample } from './samples.ts'

type Project = { id: string; name: string }
type Upload = { path: string; text?: string; link?: string }

/** Tells all that is in its folder: contents of files, targets of links. */
const TELL = `
const fs = require('fs'), path = require('path')
const walk = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  const at = path.join(folder, entry.name)
  if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(at)
  return [[at, entry.isSymbolicLink() ? 'link ' + fs.readlinkSync(at) : 'file ' + fs.readFileSync(at, 'utf8')]]
})
require('http').createServer((_, r) => r.end(JSON.stringify({
  argv: process.argv.slice(2), tree: Object.fromEntries(walk('.')), canary: fs.existsSync(process.env.CANARY),
}))).listen(process.env.PORT)`
/** Writes down what a build command was called with, and the variables it saw. */
const NOTE = `
const fs = require('fs'), [, , file, ...argv] = process.argv
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('F_')))
fs.writeFileSync(file, JSON.stringify({ argv, env, canary: fs.existsSync(process.env.CANARY ?? '') }))`

type Told = { argv: string[]; tree: Record<string, string>; canary: boolean }

/** A path that a folder may have, by the rules that the documentation gives. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const isPath = (text: string) => !/[\0-\x1f\x7f\\]/.test(text) && text.split('/').every(isName) && text.length < 300
const isName = (name: string) => !['', '.', '..'].includes(name) && Buffer.byteLength(name) <= 255

/** A folder of files and links with hostile names, built by hostile commands with hostile secrets. */
export async function throughBuild(site: Site, project: Project, hostile: Hostile): Promise<Arrived> {
  const words = (more: number, room: number) => {
    const fits = sample({ ...hostile, seed: hostile.seed + more }, 60, (text) => text.length < 100)
    return fits.filter(
      (_, n) =>
        fits
          .slice(0, n + 1)
          .map(shellWord)
          .join(' ').length < room,
    )
  }
  const [atInstall, atBuild, atStart] = [words(1, 1800), words(2, 1800), words(3, 1800)]
  const secrets = sample({ ...hostile, seed: hostile.seed + 4 }, 40)
  const variables = names(hostile, secrets.length, /^[A-Za-z_][A-Za-z0-9_]{5,30}$/).map((name, n) => ({
    name: `F_${name}`,
    value: secrets[n] ?? '',
    scope: 'build',
  }))
  const canary = { name: 'CANARY', value: hostile.canary, scope: 'all' }
  await site.ask('PUT', `/api/projects/${project.id}/variables`, { variables: [...variables, canary] })
  const root = sample({ ...hostile, seed: hostile.seed + 5 }, 80, isPath).at(hostile.seed % 40) ?? 'app'
  const files = folder(hostile)
  const told = await build<Told>(site, project, under(root, files), {
    rootDirectory: root,
    installCommand: ['node note.js at-install', ...atInstall.map(shellWord)].join(' '),
    buildCommand: ['node note.js at-build', ...atBuild.map(shellWord)].join(' '),
    startCommand: ['node server.js', ...atStart.map(shellWord)].join(' '),
  })
  const noted = ['at-install', 'at-build'].map((file) => JSON.parse((told.tree[file] ?? 'file {}').slice(5)))
  const faults = [
    ...differences('argument of the install command', atInstall, noted[0].argv ?? []),
    ...differences('argument of the build command', atBuild, noted[1].argv ?? []),
    ...differences('argument of the start command', atStart, told.argv),
    ...noted.flatMap(({ env = {} }) =>
      variables.flatMap(({ name, value }) => differences(`build variable ${name}`, [value], [env[name] ?? null])),
    ),
    ...files.flatMap(({ path, text, link }) =>
      differences(`entry ${path}`, [link === undefined ? `file ${text}` : `link ${link}`], [told.tree[path] ?? null]),
    ),
    ...([told, ...noted].some((one) => one.canary) ? ['a value was run as a command'] : []),
  ]
  for (const { name } of variables) await site.ask('DELETE', `/api/projects/${project.id}/variables/${name}`)
  const values = atInstall.length + atBuild.length + atStart.length + 2 * variables.length + files.length + 1
  return { values, faults: faults.map((fault) => `${fault} (folder ${quoted(root)})`) }
}

/** Each in a folder of its own, so that none is in the way of another. */
function folder(hostile: Hostile): Upload[] {
  const paths = sample({ ...hostile, seed: hostile.seed + 6 }, 80, isPath)
  const targets = sample({ ...hostile, seed: hostile.seed + 7 }, 80, isPath)
  return [
    { path: 'package.json', text: '{"name":"app","private":true}' },
    { path: 'server.js', text: TELL },
    { path: 'note.js', text: NOTE },
    ...paths.map((path, n) => ({ path: `files/${n}/${path}`, text: `content of ${path}` })),
    ...targets.map((link, n) => ({ path: `links/${n}/link`, link })),
  ]
}

const under = (root: string, files: Upload[]) => files.map((file) => ({ ...file, path: `${root}/${file.path}` }))

/** One word of a shell's command line, whatever is in it. */
const shellWord = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A Dockerfile and an output folder with hostile names: built and served, or refused by name. */
export async function throughPaths(site: Site, project: Project, hostile: Hostile, count: number): Promise<Arrived> {
  const paths = sample(hostile, 120, isPath).filter(
    (path, n, all) => !path.includes('/') && n % Math.ceil(all.length / count) === 0,
  )
  const faults: string[] = []
  for (const path of paths) {
    const app: Upload[] = [
      { path: 'server.js', text: TELL },
      {
        path: `${path}/Dockerfile`,
        text: 'FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nCMD ["node", "server.js"]\n',
      },
    ]
    const told = await build<Told>(site, project, app, { dockerfile: `${path}/Dockerfile`, port: 3000 }).catch(
      (error: Error) => error,
    )
    if (told instanceof Error) faults.push(`Dockerfile in ${quoted(path)}: ${told.message}`)
    const page = [
      { path: 'index.html', text: 'wrong' },
      { path: `${path}/index.html`, text: '"right"' },
    ]
    const shown = await build<string>(site, project, page, { outputDirectory: path, port: 8080 }, 'static').catch(
      (error: Error) => error,
    )
    const named =
      shown instanceof Error &&
      shown.message.includes('nothing_to_build') &&
      shown.message.includes(JSON.stringify(JSON.stringify(path)).slice(3, -3))
    if (shown !== 'right' && !named)
      faults.push(`output folder ${quoted(path)}: ${shown instanceof Error ? shown.message : shown}`)
  }
  return { values: 2 * paths.length, faults }
}

async function build<T>(
  site: Site,
  { id, name }: Project,
  files: Upload[],
  config: object,
  buildStrategy = 'auto',
): Promise<T> {
  const entries = files.map(({ path, text, link }) => (link === undefined ? content(path, text ?? '') : { path, link }))
  const { id: uploadSessionId } = await sendFolder(site.base(), site.token, entries)
  const service = { name: 'web', memoryMb: 128, ...config }
  const body = { projectId: id, uploadSessionId, buildStrategy, services: [service] }
  const { deployment_id } = await site.ask('POST', '/api/deployments/build/access', body)
  const ended = await site.ended(deployment_id)
  if (ended.status !== 'ready') throw new Error(`it ended as ${ended.status}: ${JSON.stringify(ended.error)}`)
  return answerOf<T>(site, name)
}

/** The edge asks for addresses once a second; a release on another port is found with the next answer. */
async function answerOf<T>(site: Site, name: string): Promise<T> {
  const text = await until(`${name} answers`, 10_000, async () => {
    const seen = await site.visit(name)
    return seen.status === 200 && seen.text
  })
  return JSON.parse(text)
}
