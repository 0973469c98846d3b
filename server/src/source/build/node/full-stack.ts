import { angular } from './angular.ts'
import { type Framework, type Shape, saidIn } from './framework.ts'
import { configText, majorOf, type NodePackage } from './manifest.ts'
import { portIn, startScript } from './scripts.ts'

const PORT = 3000

const next: Framework = {
  slug: 'nextjs',
  packages: ['next'],
  async shape(pkg) {
    const output = saidIn(await configText(pkg.look, 'next.config'), 'output')
    const buildEnv = { NEXT_TELEMETRY_DISABLED: '1' }
    if (output === 'export') {
      const because = ["next.config says output: 'export'"]
      return { kind: 'site', build: 'next build', output: 'out', fallback: 'pages', buildEnv, because }
    }
    const port = portIn(pkg.scripts.get('start') ?? '') ?? PORT
    const runEnv = { HOSTNAME: '0.0.0.0', NEXT_TELEMETRY_DISABLED: '1' }
    const server = { kind: 'server', build: 'next build', port, buildEnv, runEnv } as const
    if (output !== 'standalone') return { ...server, start: 'next start' }
    const only = [
      { from: '.next/standalone', to: '.', fromRoot: true as const },
      { from: '.next/static', to: '.next/static' },
      ...(pkg.look.hasFolder('public') ? [{ from: 'public', to: 'public' }] : []),
    ]
    return { ...server, start: 'node server.js', only, because: ["next.config says output: 'standalone'"] }
  },
}

/** Frameworks on Nitro: the build leaves a folder with all that runs. */
const nitroOutput = { start: 'node .output/server/index.mjs', only: [{ from: '.output', to: '.output' }], port: PORT }

const nuxt: Framework = {
  slug: 'nuxtjs',
  packages: ['nuxt', 'nuxt-edge', 'nuxt3'],
  async shape(pkg) {
    const buildEnv = { NUXT_TELEMETRY_DISABLED: '1' }
    if (majorOf(pkg.dependencies.get('nuxt') ?? '') === '2') {
      return { kind: 'server', build: 'nuxt build', start: 'nuxt start --hostname 0.0.0.0', port: PORT, buildEnv }
    }
    const config = await configText(pkg.look, 'nuxt.config')
    const generated = /\b(?:nuxt|nuxi) generate\b/.test(pkg.scripts.get('build') ?? '')
    if (generated || saidIn(config, 'preset') === 'static') {
      const because = [generated ? 'its build script generates pages' : "nuxt.config says preset: 'static'"]
      const site = { kind: 'site', output: '.output/public', fallback: 'pages', buildEnv, because } as const
      return { ...site, build: 'nuxt generate' }
    }
    return { kind: 'server', build: 'nuxt build', ...nitroOutput, buildEnv }
  },
}

const served = async (pkg: NodePackage, build: string, start: string): Promise<Shape> => {
  const own = startScript(pkg)?.command
  return { kind: 'server', build, start: own || start, port: portIn(own ?? '') ?? PORT }
}

const remix: Framework = {
  slug: 'remix',
  packages: ['@remix-run/dev'],
  async shape(pkg) {
    const vite = pkg.dependencies.has('vite')
    const config = await configText(pkg.look, 'vite.config')
    if (/\bssr\s*:\s*false\b/.test(config)) {
      const because = ['vite.config says ssr: false']
      return { kind: 'site', build: 'remix vite:build', output: 'build/client', fallback: 'spa', because }
    }
    return served(
      pkg,
      vite ? 'remix vite:build' : 'remix build',
      `remix-serve ./build/${vite ? 'server/' : ''}index.js`,
    )
  },
}

const reactRouter: Framework = {
  slug: 'react-router',
  packages: ['@react-router/dev'],
  async shape(pkg) {
    const config = await configText(pkg.look, 'react-router.config')
    const folder = saidIn(config, 'buildDirectory') ?? 'build'
    if (/\bssr\s*:\s*false\b/.test(config)) {
      const because = ['react-router.config says ssr: false']
      return { kind: 'site', build: 'react-router build', output: `${folder}/client`, fallback: 'spa', because }
    }
    return served(pkg, 'react-router build', `react-router-serve ./${folder}/server/index.js`)
  },
}

const svelteKit: Framework = {
  slug: 'sveltekit',
  packages: ['@sveltejs/kit'],
  async shape({ look, dependencies }) {
    const config = await configText(look, 'svelte.config', 'vite.config')
    const uses = (adapter: string) => config.includes(`@sveltejs/adapter-${adapter}`)
    const server = { kind: 'server', build: 'vite build', start: 'node build', port: PORT } as const
    if (uses('static')) {
      const spa = saidIn(config, 'fallback') !== null
      const because = ['svelte.config uses @sveltejs/adapter-static']
      return { kind: 'site', build: 'vite build', output: 'build', fallback: spa ? 'spa' : 'pages', because }
    }
    if (uses('node')) return { ...server, because: ['svelte.config uses @sveltejs/adapter-node'] }
    const because = [
      dependencies.has('@sveltejs/adapter-auto') ? 'it uses @sveltejs/adapter-auto' : 'it names no adapter',
    ]
    const foreign = /@sveltejs\/adapter-(?!auto)[\w-]+/.exec(config)?.[0]
    if (foreign)
      return {
        ...server,
        confidence: 'low',
        warnings: [`${foreign} builds for another platform; use @sveltejs/adapter-node.`],
      }
    // adapter-auto takes adapter-node where it believes itself in this environment, the only one of its list that is a server.
    const buildEnv = { GCP_BUILDPACKS: 'true' }
    const warnings = ['The adapter is chosen while building; add @sveltejs/adapter-node to svelte.config to pin it.']
    return { ...server, buildEnv, because, warnings, confidence: 'medium' }
  },
}

const astro: Framework = {
  slug: 'astro',
  packages: ['astro'],
  async shape({ look, dependencies }) {
    const config = await configText(look, 'astro.config')
    const output = saidIn(config, 'outDir') ?? 'dist'
    const buildEnv = { ASTRO_TELEMETRY_DISABLED: '1' }
    const adapter = /@astrojs\/(node|vercel|netlify|cloudflare)\b/.exec(config)?.[1]
    if (adapter === 'node' && dependencies.has('@astrojs/node')) {
      const start = `node ./${output}/server/entry.mjs`
      const warnings = /\bmode\s*:\s*['"]middleware/.test(config)
        ? ["In middleware mode the start command must be your own server's."]
        : []
      return {
        kind: 'server',
        build: 'astro build',
        start,
        port: 4321,
        buildEnv,
        because: ['astro.config uses @astrojs/node'],
        warnings,
      }
    }
    const site = { kind: 'site', build: 'astro build', output, fallback: 'pages', buildEnv } as const
    if (adapter === undefined) return site
    return {
      ...site,
      confidence: 'low',
      warnings: [`@astrojs/${adapter} builds for another platform; use @astrojs/node.`],
    }
  },
}

const onNitro = (slug: string, packages: string[], build: string): Framework => ({
  slug,
  packages,
  shape: async () => ({ kind: 'server', build, ...nitroOutput }),
})

const redwood: Framework = {
  slug: 'redwoodjs',
  packages: ['@redwoodjs/core'],
  shape: async () => ({
    kind: 'server',
    build: 'rw build',
    start: 'rw serve --port 8910',
    port: 8910,
    confidence: 'medium',
  }),
}

/** Frameworks that have a server of their own, those that contain others first. */
export const fullStack: Framework[] = [
  next,
  nuxt,
  remix,
  reactRouter,
  svelteKit,
  astro,
  angular,
  onNitro('solidstart', ['@solidjs/start'], 'vinxi build'),
  onNitro('tanstack-start', ['@tanstack/react-start', '@tanstack/solid-start', '@tanstack/start'], 'vite build'),
  onNitro('nitro', ['nitropack', 'nitro'], 'nitro build'),
  redwood,
]
