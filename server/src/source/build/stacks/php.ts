import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, plainPath, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

type Composer = { require?: Record<string, string>; scripts?: Record<string, unknown> }

const DEFAULT = '8.4'
const KNOWN = ['8.4', '8.3', '8.2', '8.1']
const PORT = 8080

/** PHP under Apache, with what Composer's lock file names. */
export async function detectPhp(look: Look): Promise<Found | null> {
  const composer = await look.json<Composer>('composer.json')
  const page = look.first('public/index.php', 'web/index.php', 'index.php')
  if (page === undefined) return null
  const requires = Object.keys(composer?.require ?? {})
  const framework = frameworkOf(look, requires)
  const version = versionOf(composer?.require?.php)
  const root = page.includes('/') ? page.slice(0, page.indexOf('/')) : '.'
  const assets =
    look.has('package.json') &&
    look.has('package-lock.json') &&
    look.first('vite.config.js', 'vite.config.ts') !== undefined
  const locked = look.has('composer.lock')
  const app = {
    version,
    root,
    composer: composer !== null,
    locked,
    extensions: extensionsOf(requires, framework),
    assets,
    laravel: framework === 'laravel',
  }
  return found({
    strategy: 'server',
    language: 'php',
    framework,
    packageManager: composer === null ? null : 'composer',
    installCommand: composer === null ? null : 'composer install --no-dev',
    buildCommand: assets ? 'npm run build' : null,
    startCommand: 'apache2-foreground',
    outputDirectory: root,
    port: PORT,
    because: [
      `the source has ${page}`,
      ...(framework === null
        ? []
        : [`composer.json requires ${framework === 'laravel' ? 'laravel/framework' : 'symfony/framework-bundle'}`]),
      ...(composer?.require?.php === undefined ? [] : [`composer.json asks for PHP ${composer.require.php}`]),
    ],
    warnings: composer !== null && !locked ? ['Without composer.lock, each build may install other versions.'] : [],
    confidence: composer === null ? 'medium' : 'high',
    recipe: (choices) => phpDockerfile(app, choices),
  })
}

function frameworkOf(look: Look, requires: string[]): string | null {
  if (requires.includes('laravel/framework') || look.has('artisan')) return 'laravel'
  return requires.includes('symfony/framework-bundle') ? 'symfony' : null
}

function versionOf(range: string | undefined): string {
  const minor = /8\.\d+/.exec(range ?? '')?.[0]
  if (minor === undefined || /[\^>]/.test(range ?? '')) return DEFAULT
  return KNOWN.includes(minor) ? minor : DEFAULT
}

/** Those that compile without any library beside PHP. */
const PLAIN = ['bcmath', 'exif', 'mysqli', 'pcntl', 'pdo_mysql', 'sockets', 'opcache', 'calendar', 'gettext']
const PACKAGES: Record<string, string> = {
  gd: 'libpng-dev',
  intl: 'libicu-dev',
  zip: 'libzip-dev',
  pdo_pgsql: 'libpq-dev',
  pgsql: 'libpq-dev',
}

function extensionsOf(requires: string[], framework: string | null): string[] {
  const asked = requires.filter((name) => name.startsWith('ext-')).map((name) => name.slice(4))
  const known = asked.filter((name) => PLAIN.includes(name) || Object.hasOwn(PACKAGES, name))
  return [...new Set([...(framework === null ? [] : ['pdo_mysql', 'opcache']), ...known])].sort()
}

type PhpApp = {
  version: string
  root: string
  composer: boolean
  locked: boolean
  extensions: string[]
  assets: boolean
  laravel: boolean
}

function phpDockerfile(app: PhpApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? PORT
  const root = choices.outputDirectory ?? app.root
  const install =
    choices.installCommand ??
    'composer install --no-dev --no-interaction --prefer-dist --no-scripts --no-autoloader --ignore-platform-reqs'
  const composerCache = [{ id: 'composer', target: '/cache/composer' }]
  const npmCache = [{ id: 'npm', target: '/cache/npm' }]
  const vendor = app.composer
    ? [
        'FROM composer:2 AS vendor',
        workdir('/app'),
        env({ COMPOSER_CACHE_DIR: '/cache/composer' }),
        copy(['composer.json', ...(app.locked ? ['composer.lock'] : [])], './'),
        run(install, { caches: composerCache, secrets }),
        'COPY . .',
        run('composer dump-autoload --optimize --no-dev --no-scripts'),
        '',
      ]
    : []
  const assets = app.assets
    ? [
        'FROM node:24-slim AS assets',
        workdir('/app'),
        env({ npm_config_cache: '/cache/npm' }),
        copy(['package.json', 'package-lock.json'], './'),
        run('npm ci --no-audit --no-fund', { caches: npmCache }),
        'COPY . .',
        run(choices.buildCommand ?? 'npm run build', { secrets }),
        '',
      ]
    : []
  return lines(...vendor, ...assets, ...apacheStage(app, root, port, choices.startCommand))
}

function apacheStage(app: PhpApp, root: string, port: number, start: string | undefined): string[] {
  const packages = [
    ...new Set(app.extensions.map((name) => PACKAGES[name]).filter((name) => name !== undefined)),
  ].sort()
  const document = root === '.' ? '/app' : plainPath(`/app/${root}`)
  const conf = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Apache writes its variables like this.
    '<VirtualHost *:${PORT}>',
    `DocumentRoot "${document}"`,
    `<Directory "${document}">`,
    'AllowOverride All',
    'Require all granted',
    ...(root === '.' ? [] : ['FallbackResource /index.php']),
    '</Directory>',
    '</VirtualHost>',
  ]
  const quoted = conf.map((line) => `'${line}'`).join(' ')
  return [
    `FROM php:${app.version}-apache`,
    ...(packages.length === 0
      ? []
      : [
          run(
            `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')} && rm -rf /var/lib/apt/lists/*`,
          ),
        ]),
    ...(app.extensions.length === 0 ? [] : [run(`docker-php-ext-install -j"$(nproc)" ${app.extensions.join(' ')}`)]),
    run(
      `mv "$PHP_INI_DIR/php.ini-production" "$PHP_INI_DIR/php.ini" && a2enmod rewrite && printf 'Listen \${PORT}\\n' > /etc/apache2/ports.conf && printf '%s\\n' ${quoted} > /etc/apache2/sites-available/000-default.conf`,
    ),
    workdir('/app'),
    copy(app.composer ? ['/app'] : ['.'], './', {
      ...(app.composer && { from: 'vendor' }),
      chown: 'www-data:www-data',
    }),
    ...(app.assets
      ? [copy(['/app/public/build'], './public/build', { from: 'assets', chown: 'www-data:www-data' })]
      : []),
    env({ PORT: port, ...(app.laravel && { LOG_CHANNEL: 'stderr' }) }),
    'USER www-data',
    `EXPOSE ${port}`,
    openPort(port),
    cmd(start ?? 'apache2-foreground'),
  ]
}
