import type { Entry } from './entry.ts'

/** What is said of a folder for everybody, in `slipway.json`. */
export type FolderFile = {
  project?: string
  include?: string[]
  exclude?: string[]
  services?: { name: string }[]
  /** Why it is not heeded. */
  problem?: string
}

const NAME = 'slipway.json'

export async function readFolderFile(top: Entry[]): Promise<FolderFile> {
  const found = top.find((entry) => entry.kind === 'file' && entry.name === NAME)
  if (found?.kind !== 'file') return {}
  try {
    return heeded(JSON.parse(await (await found.file()).text()))
  } catch (error) {
    return { problem: `${NAME} is not heeded: ${error instanceof Error ? error.message : error}` }
  }
}

function heeded(value: unknown): FolderFile {
  if (typeof value !== 'object' || value === null) throw new Error('it does not have the form that is expected')
  const { project, include, exclude, services } = value as Record<string, unknown>
  const areTexts = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'string')
  return {
    ...(typeof project === 'string' && { project }),
    ...(areTexts(include) && { include }),
    ...(areTexts(exclude) && { exclude }),
    ...(Array.isArray(services) && services.length > 0 && { services }),
  }
}
