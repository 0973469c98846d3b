import type { Look } from '../look.ts'
import type { Framework } from './framework.ts'

type Target = {
  builder?: string
  options?: {
    outputPath?: string | { base?: string; browser?: string; server?: string }
    ssr?: unknown
    server?: unknown
    outputMode?: string
  }
}
type Project = { projectType?: string; architect?: { build?: Target }; targets?: { build?: Target } }
type AngularFile = { defaultProject?: string; projects?: Record<string, Project> }

/** angular.json says where the build ends up, and whether there is a server in it. */
export const angular: Framework = {
  slug: 'angular',
  packages: ['@angular/cli', '@angular/core'],
  async shape({ look }) {
    const [name, build] = await application(look)
    if (name === null) return null
    const { options = {} } = build
    const { outputPath } = options
    const base = typeof outputPath === 'string' ? outputPath : (outputPath?.base ?? `dist/${name}`)
    // The older builder writes the pages straight there.
    const old = /:browser(?:-esbuild)?$/.test(build.builder ?? '')
    const folder = (part: 'browser' | 'server') => {
      const said = typeof outputPath === 'object' ? outputPath[part] : undefined
      return said === '' ? base : `${base}/${said ?? part}`
    }
    const because = [`angular.json builds ${name} into ${base}`]
    const served = options.ssr !== undefined && options.ssr !== false && options.outputMode !== 'static'
    if (served && !old) {
      return {
        kind: 'server',
        build: 'ng build',
        start: `node ${folder('server')}/server.mjs`,
        port: 4000,
        because,
        ownStart: true,
        buildEnv,
      }
    }
    return {
      kind: 'site',
      build: 'ng build',
      output: old ? base : folder('browser'),
      fallback: 'spa',
      because,
      buildEnv,
    }
  },
}

const buildEnv = { NG_CLI_ANALYTICS: 'false' }

async function application(look: Look): Promise<[string | null, Target]> {
  const file = await look.json<AngularFile>('angular.json')
  const projects = Object.entries(file?.projects ?? {}).filter(([, project]) => project.projectType !== 'library')
  const [name, project] = projects.find(([one]) => one === file?.defaultProject) ?? projects[0] ?? []
  if (name === undefined || !/^[\w.@-]+$/.test(name)) return [null, {}]
  return [name, project?.architect?.build ?? project?.targets?.build ?? {}]
}
