import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What is kept between builds: a folder per project below these, and in the first one per server around it. */
export interface ProjectFolders {
  /** The projects that have any. */
  projects(): Promise<string[]>
  remove(project: string): Promise<void>
}

/** `contexts/<server>/<project>.<service>` with its manifest beside it, `repositories/<project>`. */
export function projectFolders(dataDir: string): ProjectFolders {
  const repositories = join(dataDir, 'repositories')
  const contexts = join(dataDir, 'contexts')
  const places = async () => [repositories, ...(await names(contexts)).map((server) => join(contexts, server))]
  return {
    async projects() {
      const found = await Promise.all((await places()).map(names))
      return [...new Set(found.flat().map(projectOf))].filter((name) => name.startsWith('prj_'))
    },
    async remove(project) {
      for (const place of await places()) {
        const own = (await names(place)).filter((name) => projectOf(name) === project)
        for (const name of own) await rm(join(place, name), { recursive: true, force: true })
      }
    },
  }
}

/** `prj_x`, and what belongs to it: `.prj_x.manifest`. */
const projectOf = (name: string) => name.replace(/^\./, '').split('.')[0] ?? ''

const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
