import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { EXIT, Failure } from '../failure.ts'
import { fileText } from '../file-text.ts'

/** Which project a folder is, on this machine alone: `.slipway/link.json`, which git does not keep. */
export type Link = { instance: string; projectId: string }
/** What is said of a folder for everybody: `slipway.json`, which git keeps. No ids, no secrets. */
export type FolderFile = { project?: string; include?: string[]; exclude?: string[]; services?: unknown[] }
export type Folder = { path: string; link: Link | null; file: FolderFile | null }

const linkFile = (folder: string) => join(folder, '.slipway', 'link.json')
const folderFile = (folder: string) => join(folder, 'slipway.json')

/** The nearest folder, from here upwards, that says which project it is; else this one. */
export function findFolder(cwd: string): Folder {
  const { root } = parse(cwd)
  for (let path = cwd; ; path = dirname(path)) {
    const found = readFolder(path)
    if (found.link || found.file) return found
    if (path === root) return { path: cwd, link: null, file: null }
  }
}

export const readFolder = (path: string): Folder => ({
  path,
  link: readJson<Link>(linkFile(path), isLink),
  file: readJson<FolderFile>(folderFile(path), isFolderFile),
})

function readJson<T>(file: string, isRight: (value: object) => boolean): T | null {
  const text = fileText(file, 'file_unreadable')
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
export function writeLink(folder: string, link: Link): void {
  mkdirSync(dirname(linkFile(folder)), { recursive: true })
  writeFileSync(linkFile(folder), `${JSON.stringify(link, null, 2)}\n`)
  const ignored = join(folder, '.gitignore')
  const text = fileText(ignored, 'file_unreadable') ?? ''
  if (/^\/?\.slipway\/?$/m.test(text)) return
  writeFileSync(ignored, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}.slipway/\n`)
}

export const removeLink = (folder: string): void => rmSync(linkFile(folder), { force: true })

export const writeFolderFile = (folder: string, file: FolderFile): void =>
  writeFileSync(folderFile(folder), `${JSON.stringify(file, null, 2)}\n`)
