import { type Framework, type SiteShape, saidIn } from './framework.ts'
import { configText, type NodePackage } from './manifest.ts'

type Row = [slug: string, packages: string[], build: string, output: string, fallback: SiteShape['fallback']]

/** Generators whose output is always in the same place, unless their configuration is asked below. */
const ROWS: Row[] = [
  ['gatsby', ['gatsby'], 'gatsby build', 'public', 'pages'],
  ['docusaurus', ['@docusaurus/core'], 'docusaurus build', 'build', 'pages'],
  ['create-react-app', ['react-scripts', 'react-dev-utils'], 'react-scripts build', 'build', 'spa'],
  ['vuepress', ['vuepress'], 'vuepress build src', 'src/.vuepress/dist', 'pages'],
  ['gridsome', ['gridsome'], 'gridsome build', 'dist', 'pages'],
  ['hexo', ['hexo'], 'hexo generate', 'public', 'pages'],
  ['ember', ['ember-cli', 'ember-source'], 'ember build --environment=production', 'dist', 'spa'],
  ['preact', ['preact-cli'], 'preact build', 'build', 'spa'],
  ['umijs', ['umi'], 'umi build', 'dist', 'spa'],
  ['stencil', ['@stencil/core'], 'stencil build', 'www', 'spa'],
  ['ionic-react', ['@ionic/react'], 'ionic build', 'dist', 'spa'],
  ['ionic-angular', ['@ionic/angular'], 'ng build', 'www', 'spa'],
  ['saber', ['saber'], 'saber build', 'public', 'pages'],
  ['brunch', ['brunch'], 'brunch build --production', 'public', 'spa'],
  ['dojo', ['@dojo/framework', '@dojo/cli'], 'dojo build', 'output/dist', 'spa'],
  ['polymer', ['polymer-cli'], 'polymer build', 'build/default', 'spa'],
  ['sanity', ['sanity'], 'sanity build', 'dist', 'spa'],
]

const fromRow = ([slug, packages, build, output, fallback]: Row): Framework => ({
  slug,
  packages,
  shape: async () => ({ kind: 'site', build, output, fallback }),
})

const eleventy: Framework = {
  slug: 'eleventy',
  packages: ['@11ty/eleventy'],
  async shape({ look, scripts }) {
    const config = `${await configText(look, 'eleventy.config')}${await configText(look, '.eleventy')}`
    const flag = /--output[= ](\S+)/.exec(scripts.get('build') ?? '')?.[1]
    const output = flag ?? saidIn(config, 'output') ?? '_site'
    return { kind: 'site', build: 'eleventy', output, fallback: 'pages' }
  },
}

const vitepress: Framework = {
  slug: 'vitepress',
  packages: ['vitepress'],
  async shape({ look, scripts }) {
    const said = /vitepress build(?: +([\w./-]+))?/.exec(scripts.get('build') ?? scripts.get('docs:build') ?? '')?.[1]
    const folder = said ?? (look.hasFolder('docs/.vitepress') ? 'docs' : '.')
    const output = folder === '.' ? '.vitepress/dist' : `${folder}/.vitepress/dist`
    return { kind: 'site', build: `vitepress build ${folder}`, output, fallback: 'pages' }
  },
}

const vueCli: Framework = {
  slug: 'vue',
  packages: ['@vue/cli-service'],
  async shape({ look }) {
    const output = saidIn(await configText(look, 'vue.config'), 'outputDir') ?? 'dist'
    return { kind: 'site', build: 'vue-cli-service build', output, fallback: 'spa' }
  },
}

const parcel: Framework = {
  slug: 'parcel',
  packages: ['parcel', 'parcel-bundler'],
  async shape({ look }) {
    const page = look.first('src/index.html', 'index.html')
    return page === undefined ? null : { kind: 'site', build: `parcel build ${page}`, output: 'dist', fallback: 'spa' }
  },
}

/** Vite also builds libraries and servers; a page to begin with is what makes it a site. */
const vite: Framework = {
  slug: 'vite',
  packages: ['vite', 'vite-plus'],
  async shape({ look }) {
    if (!look.has('index.html')) return null
    const config = await configText(look, 'vite.config')
    return { kind: 'site', build: 'vite build', output: saidIn(config, 'outDir') ?? 'dist', fallback: 'spa' }
  },
}

const storybook: Framework = {
  slug: 'storybook',
  packages: ['storybook', '@storybook/cli'],
  async shape(pkg: NodePackage) {
    const script = pkg.scripts.get('build') ?? ''
    if (!script.includes('storybook')) return null
    return { kind: 'site', build: 'storybook build', output: 'storybook-static', fallback: 'pages' }
  },
}

/** Everything that ends as files. A site with a server script of its own is a server. */
export const sites: Framework[] = [...ROWS.map(fromRow), eleventy, vitepress, vueCli, storybook, parcel, vite]
