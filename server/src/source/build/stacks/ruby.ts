import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, healthcheck, lines, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'
import { procfileStart } from '../procfile.ts'

const DEFAULT = '3.4'
const KNOWN = ['3.4', '3.3', '3.2', '3.1']

/** Rails, or whatever Rack or Ruby starts. */
export async function detectRuby(look: Look): Promise<Found | null> {
  const gemfile = await look.text('Gemfile')
  if (gemfile === null) return null
  const gem = (name: string) => new RegExp(`^\\s*gem\\s+['"]${name}['"]`, 'm').test(gemfile)
  const procfile = await procfileStart(look)
  const kind = kindOf(look, gem)
  if (kind === null && procfile === null) return null
  const version = await versionOf(look, gemfile)
  const locked = look.has('Gemfile.lock')
  const rails = kind?.framework === 'rails'
  const assets = rails && (look.hasFolder('app/assets') || gem('propshaft') || gem('sprockets-rails'))
  const app = {
    version,
    locked,
    build: assets ? 'SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile' : null,
    start: procfile?.command ?? kind?.start ?? 'bundle exec rackup',
    port: kind?.port ?? 3000,
    libraries: LIBRARIES.filter(([name]) => gem(name)).map(([, library]) => library),
    rails,
  }
  return found({
    strategy: 'server',
    language: 'ruby',
    framework: kind?.framework ?? null,
    packageManager: 'bundler',
    installCommand: 'bundle install',
    buildCommand: app.build,
    startCommand: app.start,
    port: app.port,
    because: [
      ...(kind?.because ?? []),
      ...(procfile ? [procfile.because] : []),
      ...(locked ? ['the lock file is Gemfile.lock'] : []),
    ],
    warnings: [
      ...(locked ? [] : ['Without Gemfile.lock, each build may install other versions.']),
      ...(rails ? ['Rails needs SECRET_KEY_BASE or RAILS_MASTER_KEY among the variables to start.'] : []),
    ],
    recipe: (choices) => rubyDockerfile(app, choices),
  })
}

/** What some gems need to run, in the image without a compiler. */
const LIBRARIES: [gem: string, library: string][] = [
  ['pg', 'libpq5'],
  ['mysql2', 'libmariadb3'],
  ['sqlite3', 'libsqlite3-0'],
  ['image_processing', 'libvips42'],
]

type Kind = { framework: string | null; start: string; port: number; because: string[] }

function kindOf(look: Look, gem: (name: string) => boolean): Kind | null {
  if (gem('rails') && look.has('config/application.rb')) {
    const start = 'bundle exec rails server --binding 0.0.0.0'
    return { framework: 'rails', start, port: 3000, because: ['the Gemfile has rails'] }
  }
  const framework = gem('sinatra') ? 'sinatra' : null
  const because = [framework === null ? 'the source has a Gemfile' : 'the Gemfile has sinatra']
  const port = framework === null ? 9292 : 4567
  if (look.has('config.ru')) {
    const start = gem('puma')
      ? 'bundle exec puma --bind tcp://0.0.0.0:$PORT'
      : 'bundle exec rackup --host 0.0.0.0 --port $PORT'
    return { framework, start, port, because: [...because, 'config.ru is its Rack application'] }
  }
  const file = look.first('app.rb', 'server.rb', 'main.rb')
  if (file === undefined) return null
  const options = framework === 'sinatra' ? ' -o 0.0.0.0 -p $PORT' : ''
  return { framework, start: `bundle exec ruby ${file}${options}`, port, because: [...because, `it starts ${file}`] }
}

async function versionOf(look: Look, gemfile: string): Promise<string> {
  const file = (await look.text('.ruby-version')) ?? ''
  const said = /(\d\.\d)/.exec(file)?.[1] ?? /^\s*ruby\s+['"][~>= ]*(\d\.\d)/m.exec(gemfile)?.[1]
  return said !== undefined && KNOWN.includes(said) ? said : DEFAULT
}

type RubyApp = {
  version: string
  locked: boolean
  build: string | null
  start: string
  port: number
  libraries: string[]
  rails: boolean
}

function rubyDockerfile(app: RubyApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? app.port
  const build = choices.buildCommand ?? app.build
  const settings = {
    BUNDLE_PATH: '/bundle',
    BUNDLE_WITHOUT: 'development:test',
    ...(app.locked && { BUNDLE_DEPLOYMENT: 1 }),
  }
  const libraries = app.libraries.join(' ')
  return lines(
    `FROM ruby:${app.version} AS build`,
    workdir('/app'),
    env({ ...settings, ...(app.rails && { RAILS_ENV: 'production' }) }),
    copy(['Gemfile', ...(app.locked ? ['Gemfile.lock'] : [])], './'),
    run(choices.installCommand ?? 'bundle install', {
      caches: [{ id: 'gems', target: '/usr/local/bundle/cache' }],
      secrets,
    }),
    'COPY . .',
    build !== null && run(build, { secrets }),
    '',
    `FROM ruby:${app.version}-slim`,
    libraries !== '' &&
      run(`apt-get update && apt-get install -y --no-install-recommends ${libraries} && rm -rf /var/lib/apt/lists/*`),
    workdir('/app'),
    env({
      ...settings,
      PORT: port,
      RACK_ENV: 'production',
      ...(app.rails && { RAILS_ENV: 'production', RAILS_LOG_TO_STDOUT: 1, RAILS_SERVE_STATIC_FILES: 1 }),
    }),
    copy(['/bundle'], '/bundle', { from: 'build' }),
    copy(['/app'], './', { from: 'build', chown: '1000:1000' }),
    'USER 1000',
    `EXPOSE ${port}`,
    healthcheck(['ruby', '-rsocket', '-e', "TCPSocket.new('127.0.0.1', ENV['PORT'].to_i).close"]),
    cmd(choices.startCommand ?? app.start),
  )
}
