import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { EXIT, Failure } from '../failure.ts'

/** Which project a folder is, on this machine alone: `.slipway/link.json`, which git does not keep. */
export type Link = { instance: string; projectId: string }
/** What is said of a folder for everybody: `slipway.json`, which git keeps. No ids, no secrets. */
export type FolderFile = { project?: string; include?: string[]; exclude?: string[]; services?: unknown[] }
export type Folder = { path: string; link: Link | null; file: FolderFile | null }

const linkFile = (folder: string) => join(folder, '.slipway', 'link.json')
const folderFile = (folder: string) => join(folder, 'slipway.json')

/** The nearest folder, from here upwards, that says which project it is; else this one. */
export async function findFolder(cwd: string): Promise<Folder> {
  const { root } = parse(cwd)
  for (let path = cwd; ; path = dirname(path)) {
    const found = await readFolder(path)
    if (found.link || found.file) return found
    if (path === root) return { path: cwd, link: null, file: null }
  }
}

export async function readFolder(path: string): Promise<Folder> {
  return {
    path,
    link: await readJson<Link>(linkFile(path), isLink),
    file: await readJson<FolderFile>(folderFile(path), isFolderFile),
  }
}

async function readJson<T>(file: string, isRight: (value: object) => boolean): Promise<T | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new Failure(EXIT.unexpected, 'file_unreadable', `${file} cannot be read: ${error.message}`)
  })
  if (text === null) return null
  const broken = (why: string) => new Failure(EXIT.usage, 'file_broken', `${file} cannot be used: ${why}.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw broken((error as Error).message)
  }
  if (typeof value !== 'object' || value === null || !isRight(value))
    throw broken('it does not have the form that is expected')
  return value as T
}

const isLink = (value: object) =>
  'instance' in value &&
  typeof value.instance === 'string' &&
  'projectId' in value &&
  typeof value.projectId === 'string'

function isFolderFile(value: object): boolean {
  const { project, include, exclude, services } = value as Record<string, unknown>
  const texts = (list: unknown) =>
    list === undefined || (Array.isArray(list) && list.every((one) => typeof one === 'string'))
  return (
    (project === undefined || typeof project === 'string') &&
    texts(include) &&
    texts(exclude) &&
    (services === undefined || Array.isArray(services))
  )
}

/** Links a folder, and sees to it that git does not keep that. */
export async function writeLink(folder: string, link: Link): Promise<void> {
  await mkdir(dirname(linkFile(folder)), { recursive: true })
  await writeFile(linkFile(folder), `${JSON.stringify(link, null, 2)}\n`)
  const ignored = join(folder, '.gitignore')
  const text = await readFile(ignored, 'utf8').catch(() => '')
  if (/^\/?\.slipway\/?$/m.test(text)) return
  await writeFile(ignored, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}.slipway/\n`)
}

export const removeLink = (folder: string): Promise<void> => rm(linkFile(folder), { force: true })

export const writeFolderFile = (folder: string, file: FolderFile): Promise<void> =>
  writeFile(folderFile(folder), `${JSON.stringify(file, null, 2)}\n`)
