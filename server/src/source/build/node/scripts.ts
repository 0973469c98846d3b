import type { NodePackage } from './manifest.ts'

/** Servers for developers: they rebuild, watch and tell the world too much. */
const FOR_DEVELOPERS =
  /\b(?:nodemon|ts-node-dev|tsx watch|(?:next|nuxt|nuxi|astro|remix|react-router|vinxi|svelte-kit|nitro|wrangler) dev|vite(?: dev| serve)?(?= -|$)|react-scripts start|ng serve|vue-cli-service serve|gatsby (?:develop|serve)|eleventy --serve|docusaurus (?:start|serve)|vitepress (?:dev|preview)|vite preview|astro preview|webpack(?:-dev-server| serve)|storybook|start-storybook|parcel(?! build)|nest start|live-server|ember serve|hexo server|umi dev|preact watch|ionic serve|stencil build .*--serve)|--watch\b/

export type Start = { command: string; because: string; developers: string | null }

/** The script that starts the package in production, spelled out: a package manager in between keeps signals to itself. */
export function startScript({ scripts }: NodePackage): Start | null {
  let developers: string | null = null
  for (const name of ['start:prod', 'start:production', 'start', 'serve']) {
    const text = scripts.get(name)?.trim()
    if (text === undefined || text === '') continue
    const command = spelledOut(scripts, name)
    if (FOR_DEVELOPERS.test(command)) developers ??= `its ${name} script is for developers: ${text}`
    else return { command, because: `its ${name} script is ${text}`, developers }
  }
  return developers === null ? null : { command: '', because: '', developers }
}

const MOST_HOPS = 5

/** `npm run serve` becomes what `serve` is. Scripts with something before or after them are left to the package manager. */
function spelledOut(scripts: ReadonlyMap<string, string>, name: string): string {
  let current = name
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const text = scripts.get(current)?.trim() ?? ''
    if (scripts.has(`pre${current}`) || scripts.has(`post${current}`)) return `npm run ${current}`
    const next = /^(?:npm run|npm|yarn run|yarn|pnpm run|pnpm|bun run) ([\w:.-]+)$/.exec(text)?.[1]
    if (next === undefined || !scripts.has(next)) return text
    current = next
  }
  return scripts.get(current)?.trim() ?? ''
}

/** A port that a command says itself: `-p 4000`, `--port=4000`, `PORT=4000`. */
export function portIn(command: string): number | null {
  const said = /(?:^|\s)(?:-p|--port|PORT)(?:\s+|=)(\d{2,5})(?:\s|$)/.exec(command)?.[1]
  return said === undefined ? null : Number(said)
}
