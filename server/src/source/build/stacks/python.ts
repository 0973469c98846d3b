import { type Found, found } from '../detection.ts'
import type { Look } from '../look.ts'
import { procfileStart } from '../procfile.ts'
import { type Dependencies, pythonDependencies } from './python-dependencies.ts'
import { type PythonInstall, pythonDockerfile } from './python-dockerfile.ts'

const DEFAULT = '3.13'
const KNOWN = ['3.14', '3.13', '3.12', '3.11', '3.10', '3.9']
const PORT = 8000

/** A Python program: a web framework with a server fit for production, or a file that is simply run. */
export async function detectPython(look: Look): Promise<Found | null> {
  const install = await pythonDependencies(look)
  const kind = await kindOf(look, install)
  if (kind === null) return null
  const version = await versionOf(look, install)
  const procfile = await procfileStart(look)
  const start = procfile?.command ?? kind.start
  const adds = procfile || kind.server === undefined || install.names.has(kind.server) ? [] : [kind.server]
  const facts: PythonInstall = { ...install, version: version.version, adds }
  const missing = adds.map((name) => `${name} is not among the dependencies; the image installs it beside them.`)
  const reasons = [...kind.because, procfile?.because, install.because, version.because]
  const answer = { installCommand: install.command, buildCommand: kind.build ?? null, startCommand: start, port: PORT }
  return found({
    strategy: 'server',
    language: 'python',
    framework: kind.framework,
    packageManager: install.manager,
    ...answer,
    because: reasons.filter((line) => line !== undefined && line !== null),
    warnings: [...missing, ...(kind.warnings ?? []), ...install.warnings],
    confidence: kind.confidence ?? 'high',
    recipe: (choices) => pythonDockerfile(facts, answer, choices),
  })
}

type Kind = {
  framework: string | null
  start: string
  /** What runs it in production, as it is called on PyPI. */
  server?: string
  build?: string
  because: string[]
  warnings?: string[]
  confidence?: 'medium' | 'low'
}

const kindOf = async (look: Look, install: Dependencies): Promise<Kind | null> =>
  (await django(look, install)) ?? (await asgi(look, install)) ?? (await flask(look, install)) ?? plain(look, install)

async function django(look: Look, { names }: Dependencies): Promise<Kind | null> {
  const manage = await look.text('manage.py')
  const settings = /DJANGO_SETTINGS_MODULE['"]\s*,\s*['"]([\w.]+)['"]/.exec(manage ?? '')?.[1]
  if (manage === null || (settings === undefined && !names.has('django'))) return null
  const project = settings?.split('.')[0] ?? 'config'
  const wsgi = look.first(`${project}/wsgi.py`, 'wsgi.py') ?? `${project}/wsgi.py`
  const text = (await look.text(`${(settings ?? `${project}.settings`).replaceAll('.', '/')}.py`)) ?? ''
  const collects = /^STATIC_ROOT\s*=/m.test(text)
  return {
    framework: 'django',
    start: `gunicorn ${moduleOf(wsgi)}:application`,
    server: 'gunicorn',
    ...(collects && { build: 'python manage.py collectstatic --noinput' }),
    because: [`manage.py runs Django with ${settings ?? 'its settings'}`],
    ...(/^ALLOWED_HOSTS\s*=\s*\[\s*\]/m.test(text) && {
      warnings: ['ALLOWED_HOSTS is empty: Django refuses every host name once DEBUG is off.'],
    }),
  }
}

const FILES = ['main', 'app', 'server', 'api', 'run', 'wsgi', 'asgi', 'application', '__init__']
const PLACES = ['', 'app/', 'src/', 'api/', 'src/app/', 'backend/']
const ENTRIES = PLACES.flatMap((folder) => FILES.map((file) => `${folder}${file}.py`))

const ASGI: [framework: string, factory: string][] = [
  ['fastapi', 'FastAPI'],
  ['fasthtml', 'FastHTML'],
  ['starlette', 'Starlette'],
  ['litestar', 'Litestar'],
]

async function asgi(look: Look, { names }: Dependencies): Promise<Kind | null> {
  for (const [framework, factory] of ASGI) {
    if (!names.has(framework) && !names.has(`python-${framework}`)) continue
    const app = await objectOf(look, new RegExp(`^(\\w+)(?:\\s*:\\s*[\\w.]+)?\\s*=\\s*(?:\\w+\\.)?${factory}\\(`, 'm'))
    const start = `uvicorn ${app ?? 'main:app'} --host 0.0.0.0 --port $PORT`
    const because = [`it depends on ${framework}`, app ? `${app} is the application` : 'main:app is the custom']
    return { framework, start, server: 'uvicorn', because, ...(!app && { confidence: 'low' as const }) }
  }
  return null
}

async function flask(look: Look, { names }: Dependencies): Promise<Kind | null> {
  if (!names.has('flask')) return null
  const app = await objectOf(look, /^(\w+)\s*=\s*(?:\w+\.)?Flask\(/m)
  const factory = app ?? (await objectOf(look, /^def (create_app|make_app)\(/m))
  const called = app === null && factory !== null ? `'${factory}()'` : (app ?? 'app:app')
  const because = ['it depends on flask', factory ? `${factory} is the application` : 'app:app is the custom']
  return {
    framework: 'flask',
    start: `gunicorn ${called}`,
    server: 'gunicorn',
    because,
    ...(!factory && { confidence: 'low' as const }),
  }
}

/** `module:name` of the first file that has it. */
async function objectOf(look: Look, pattern: RegExp): Promise<string | null> {
  for (const path of ENTRIES.filter((entry) => look.has(entry))) {
    const name = pattern.exec((await look.text(path)) ?? '')?.[1]
    if (name !== undefined) return `${moduleOf(path)}:${name}`
  }
  return null
}

const moduleOf = (path: string) => path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.')

function plain(look: Look, { manager }: Dependencies): Kind | null {
  const file = look.first('main.py', 'app.py', 'server.py', 'run.py', 'src/main.py', 'src/app.py', 'bot.py')
  if (file === undefined) return null
  return {
    framework: null,
    start: `python ${file}`,
    because: [`the source has ${file}`],
    confidence: manager === null ? 'low' : 'medium',
  }
}

async function versionOf(look: Look, { requires }: Dependencies): Promise<{ version: string; because: string | null }> {
  for (const [file, pattern] of [
    ['.python-version', /(\d+\.\d+)/],
    ['runtime.txt', /python-(\d+\.\d+)/],
  ] as const) {
    const said = pattern.exec((await look.text(file)) ?? '')?.[1]
    if (said !== undefined && KNOWN.includes(said)) return { version: said, because: `${file} says ${said}` }
  }
  const [, operator = '', wanted = ''] = /(==|~=|\^|~|>=|<=|<)?\s*(\d+\.\d+)/.exec(requires ?? '') ?? []
  const minor = (version: string) => Number(version.split('.')[1])
  if (!KNOWN.includes(wanted)) return { version: DEFAULT, because: null }
  const because = `it asks for Python ${requires}`
  if (operator === '' || operator === '==' || operator === '~') return { version: wanted, because }
  const below = /<\s*(3\.\d+)/.exec(requires ?? '')?.[1]
  if (below !== undefined && minor(below) <= minor(DEFAULT)) return { version: `3.${minor(below) - 1}`, because }
  return { version: minor(wanted) > minor(DEFAULT) ? wanted : DEFAULT, because }
}
