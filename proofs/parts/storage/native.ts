import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as sdk from '@aws-sdk/client-s3'
import { labPart } from '../../../lab/ask.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import type { S3Place } from '../../../server/src/drivers/storage/storage.ts'

// What the same bytes cost without us: the kind's own tool, from a file and back into one, brought to the disk both times.

export type Native = { put(file: string): Promise<void>; get(into: string): Promise<void> }

export function nativeLocal(folder: string): Native {
  const target = join(folder, 'native')
  return {
    put: (file) => run('dd', [`if=${file}`, `of=${target}`, 'bs=1M', 'conv=fsync']),
    get: (into) => run('dd', [`if=${target}`, `of=${into}`, 'bs=1M', 'conv=fsync']),
  }
}

/** OpenSSH's own program with its own choice of cipher; `-f` is its way to bring a file to the disk. */
export function nativeSftp(target: { host: string; user: string; keyFile: string; folder: string }): Native {
  const transfer = async (command: string) => {
    const scratch = mkdtempSync(join(tmpdir(), 'slipway-sftp-'))
    try {
      writeFileSync(join(scratch, 'batch'), `${command}\n`)
      writeFileSync(join(scratch, 'key'), readFileSync(target.keyFile), { mode: 0o600 })
      const known = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']
      const login = ['-i', join(scratch, 'key'), '-b', join(scratch, 'batch'), `${target.user}@${target.host}`]
      await run(tool('sftp'), ['-q', '-S', tool('ssh'), ...known, ...login])
    } finally {
      rmSync(scratch, { recursive: true })
    }
  }
  return {
    put: (file) => transfer(`put -f ${file} ${target.folder}/native`),
    get: (into) => transfer(`get -f ${target.folder}/native ${into}`),
  }
}

const PART = 32 * 1024 * 1024

/** A bare loop over the SDK: parts of the same size, two under way, nothing looked at. */
export function nativeS3(place: S3Place): Native {
  const { endpoint, region } = labPart('s3')
  const { accessKeyId, secretAccessKey, bucket: Bucket } = place
  const client = new sdk.S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const where = { Bucket, Key: 'native' }
  return {
    async put(path) {
      const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(where))
      const file = await open(path)
      const parts: sdk.CompletedPart[] = []
      const { size } = await file.stat()
      let next = 0
      const sendSome = async () => {
        const memory = Buffer.alloc(PART)
        while (next < size) {
          const at = next
          next += PART
          const Body = await fill(file, memory, at)
          const PartNumber = at / PART + 1
          const { ETag } = await client.send(new sdk.UploadPartCommand({ ...where, UploadId, PartNumber, Body }))
          parts.push({ PartNumber, ...(ETag && { ETag }) })
        }
      }
      await Promise.all([sendSome(), sendSome()])
      await file.close()
      const Parts = parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))
      await client.send(new sdk.CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts } }))
    },
    async get(into) {
      const { Body } = await client.send(new sdk.GetObjectCommand(where))
      await pipeline(Body as Readable, createWriteStream(into, { flush: true }))
    },
  }
}

async function fill(file: FileHandle, memory: Buffer, at: number): Promise<Buffer> {
  let filled = 0
  while (filled < memory.length) {
    const { bytesRead } = await file.read(memory, filled, memory.length - filled, at + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return memory.subarray(0, filled)
}

function run(program: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: toolEnv() })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}: ${said}`)),
    )
  })
}
