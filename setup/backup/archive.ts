import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { HEADER, NotOpened, opening, sealing } from './sealed.ts'

/** What of a folder goes into an archive, and below which name it lies there. */
export type Source = { folder: string; names: string[]; below?: string; without?: string[] }

/** Writes the sources as one sealed file. It is called so only when it is whole, and was read back. */
export async function writeArchive(file: string, passphrase: string, sources: Source[]): Promise<{ bytes: number }> {
  const part = `${file}.part`
  rmSync(part, { force: true })
  const seal = await sealing(passphrase)
  const tar = spawn(
    'tar',
    ['--create', '--file=-', '--sort=name', '--numeric-owner', ...sources.flatMap(argumentsOf)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = endOf(tar)
  ended.catch(() => {}) // told below, unless the file itself could not be written
  const sum = createHash('sha256')
  tar.stdout.on('data', (piece: Buffer) => sum.update(piece))
  await pipeline(tar.stdout, createZstdCompress(), seal, createWriteStream(part, { mode: 0o600, flags: 'wx' }))
  await ended
  await syncFile(part)
  const back = await readArchive(part, passphrase)
  if (back.sum !== sum.digest('hex')) throw new Error(`${file} was written, and is not the same when it is read.`)
  renameSync(part, file)
  return { bytes: statSync(file).size }
}

/** Reads it to its end; with a folder, what it has is put there. */
export async function readArchive(file: string, passphrase: string, into?: string): Promise<{ sum: string }> {
  const header = firstBytes(file)
  const open = await opening(passphrase, header)
  // To the very end of the stream, not only of the archive: it would close the pipe while we still write.
  const tar = spawn(
    'tar',
    into === undefined
      ? ['--list', '--ignore-zeros', '--file=-']
      : ['--extract', '--ignore-zeros', '--file=-', '--same-owner', '--numeric-owner', '--directory', into],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )
  const ended = endOf(tar)
  ended.catch(() => {}) // told below, unless the file itself was at fault
  const sum = createHash('sha256')
  const plain = createZstdDecompress()
  plain.on('data', (piece: Buffer) => sum.update(piece))
  await pipeline(createReadStream(file, { start: HEADER }), open, plain, tar.stdin as Writable)
  await ended
  return { sum: sum.digest('hex') }
}

const argumentsOf = ({ folder, names, below, without = [] }: Source): string[] => [
  ...(below === undefined ? [] : [`--transform=s,^\\.,${below},`]),
  ...without.map((name) => `--exclude=${name}`),
  `--directory=${folder}`,
  ...names,
]

/** 1 says that a file changed while it was read, which logs and uploads may; they are read again by the next backup. */
function endOf(tar: ChildProcess): Promise<void> {
  let said = ''
  ;(tar.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  return new Promise((done, fail) => {
    tar.on('error', fail)
    tar.on('close', (code) => (code === 0 || code === 1 ? done() : fail(new Error(`tar ended with ${code}: ${said}`))))
  })
}

function firstBytes(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER)
  const handle = openSync(file, 'r')
  try {
    if (readSync(handle, bytes) < HEADER) throw new NotOpened('This file is no backup of Slipway.')
  } finally {
    closeSync(handle)
  }
  return bytes
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r')
  await handle.sync()
  await handle.close()
}
