import type { FileEntryWithStats, SFTPWrapper } from 'ssh2'
import { diskSpace } from '../../ssh/sftp.ts'
import type { FileEntry, FileTree, Limits } from '../files/tree.ts'
import { hashInline } from '../sha256.ts'
import { explainSftp, STATUS, statusOf } from './explain.ts'
import type { Session, Sessions } from './session.ts'
import { PIECE, sinkOf, sourceOf } from './transfer.ts'

/** Files on another machine, below `base`: relative to where the login starts, or absolute. */
export function sftpTree(sessions: Sessions, base: string): FileTree {
  const full = (path: string) => (base === '' ? path || '.' : path === '' ? base : join(base, path))
  const ask = async <T>({ signal }: Limits, work: (session: Session) => Promise<T>) =>
    work(await sessions.current(signal))
  const change = (limits: Limits, start: (sftp: SFTPWrapper, done: (error?: Error | null) => void) => unknown) =>
    ask(limits, ({ sftp, ask: request }) =>
      request<void>(limits.signal, (done) => start(sftp, (error) => done(error, undefined))),
    )
  const unlessMissing = <T>(work: Promise<T>) =>
    work.then(
      () => true,
      (error) => {
        if (statusOf(error) === STATUS.missing) return false
        throw error
      },
    )
  return {
    pieceBytes: PIECE,
    buffers: 2,
    newSum: hashInline,
    create: (path, limits) => ask(limits, (session) => createFile(session, full(path), limits)),
    read: (path, range, { signal }) => ask({ signal }, (session) => sourceOf(session, full(path), range, signal)),
    stat: (path, limits) => ask(limits, (session) => statFile(session, full(path), limits)),
    entries: (folder, limits) => entries(sessions, full(folder.replace(/\/$/, '')), limits),
    rename: (from, to, limits) => ask(limits, (session) => renameOver(session, full(from), full(to), limits)),
    remove: (path, limits) => unlessMissing(change(limits, (sftp, done) => sftp.unlink(full(path), done))),
    removeFolder: (path, limits) =>
      change(limits, (sftp, done) => sftp.rmdir(full(path), done)).then(
        () => true,
        () => false,
      ),
    async explain(error, what) {
      const suspicious = statusOf(error) === STATUS.failure
      const space = suspicious ? await freeBytes(sessions, full('')).catch(() => null) : null
      return explainSftp(error, sessions.at, what, space)
    },
    close: () => sessions.close(),
  }
}

const join = (base: string, path: string) => (base.endsWith('/') ? base + path : `${base}/${path}`)

async function createFile(session: Session, path: string, { signal }: Limits) {
  const { sftp, ask } = session
  const open = () => ask<Buffer>(signal, (done) => sftp.open(path, 'wx', 0o600, done))
  for (let attempt = 1; ; attempt += 1) {
    try {
      return sinkOf(session, await open(), signal)
    } catch (error) {
      if (attempt === 4 || statusOf(error) !== STATUS.missing) throw error
      await makeFolders(session, path, signal)
    }
  }
}

/** From the top down. What is there already, or cannot be made, shows when the file is opened again. */
async function makeFolders({ sftp, ask }: Session, path: string, signal: AbortSignal): Promise<void> {
  const names = path.split('/').slice(0, -1)
  for (let depth = 1; depth <= names.length; depth += 1) {
    const folder = names.slice(0, depth).join('/')
    if (folder === '') continue
    try {
      await ask(signal, (done) => sftp.mkdir(folder, { mode: 0o700 }, (error) => done(error, undefined)))
    } catch (error) {
      if (statusOf(error) === STATUS.failure) continue // it is there
      if (statusOf(error) !== STATUS.denied || !(await exists(sftp, ask, folder, signal))) throw error
    }
  }
}

const exists = (sftp: SFTPWrapper, ask: Session['ask'], path: string, signal: AbortSignal) =>
  ask(signal, (done) => sftp.stat(path, done)).then(
    () => true,
    () => false,
  )

async function statFile({ sftp, ask }: Session, path: string, { signal }: Limits) {
  try {
    const found = await ask<{ size: number; mtime: number; isFile(): boolean }>(signal, (done) =>
      sftp.lstat(path, done as never),
    )
    return found.isFile() ? { bytes: found.size, modifiedAt: new Date(found.mtime * 1000) } : null
  } catch (error) {
    if (statusOf(error) === STATUS.missing) return null
    throw error
  }
}

/** In one step where the server can; else what was there goes first, and nothing half-written is ever seen. */
async function renameOver({ sftp, ask }: Session, from: string, to: string, { signal }: Limits): Promise<void> {
  try {
    await ask(signal, (done) => sftp.ext_openssh_rename(from, to, (error) => done(error, undefined)))
  } catch (error) {
    const unknown = statusOf(error) === STATUS.unsupported || /does not support/.test((error as Error).message)
    if (!unknown) throw error
    await ask(signal, (done) => sftp.unlink(to, (failed) => done(failed, undefined))).catch(() => {})
    await ask(signal, (done) => sftp.rename(from, to, (failed) => done(failed, undefined)))
  }
}

async function* entries(sessions: Sessions, folder: string, { signal }: Limits): AsyncGenerator<FileEntry> {
  const { sftp, ask } = await sessions.current(signal)
  let handle: Buffer
  try {
    handle = await ask<Buffer>(signal, (done) => sftp.opendir(folder, done))
  } catch (error) {
    if (statusOf(error) === STATUS.missing) return
    throw error
  }
  try {
    for (;;) {
      const some = await ask<FileEntryWithStats[] | undefined>(signal, (done) =>
        sftp.readdir(handle, (error, list) =>
          statusOf(error) === STATUS.eof ? done(null, undefined) : done(error as Error | undefined, list),
        ),
      )
      if (!some) return
      for (const { filename, attrs } of some) if (filename !== '.' && filename !== '..') yield entryOf(filename, attrs)
    }
  } finally {
    sftp.close(handle, () => {})
  }
}

function entryOf(name: string, attrs: FileEntryWithStats['attrs']): FileEntry {
  const kind = (attrs.mode & 0o170000) >> 12
  if (kind === 0o4) return { kind: 'folder', name }
  if (kind !== 0o10) return { kind: 'other', name }
  return { kind: 'file', name, found: { bytes: attrs.size, modifiedAt: new Date(attrs.mtime * 1000) } }
}

async function freeBytes(sessions: Sessions, path: string): Promise<number> {
  const signal = AbortSignal.timeout(3_000)
  const { sftp, patience } = await sessions.current(signal)
  const patient = patience(signal)
  try {
    return (await patient.wait(diskSpace(sftp, path))).freeBytes
  } finally {
    patient.end()
  }
}
