import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

export type EngineCall = { method: string; path: string; body: Buffer }

/** What the server says to the world outside: each program it starts and each call to the engine, on their real way. */
export type Recorder = {
  /** For the server: its programs and its engine, with an ear in between. */
  env: Record<string, string>
  /** The arguments of every program that was started, as the program got them. */
  argvs(): string[][]
  calls: EngineCall[]
  close(): void
}

export async function startRecorder(real: { buildx: string; git: string; socket: string }): Promise<Recorder> {
  const folder = mkdtempSync(join(tmpdir(), 'sw-rec-'))
  const argvFolder = join(folder, 'argv')
  mkdirSync(argvFolder)
  const buildx = listeningProgram(folder, 'docker-buildx', real.buildx, argvFolder)
  listeningProgram(folder, 'git', real.git, argvFolder)
  const calls: EngineCall[] = []
  const socketPath = join(folder, 'engine.sock')
  const server = listeningSocket(real.socket, calls)
  await new Promise<void>((done) => server.listen(socketPath, done))
  return {
    env: { SLIPWAY_BUILDX: buildx, SLIPWAY_DOCKER_SOCKET: socketPath, PATH: `${folder}:${process.env.PATH ?? ''}` },
    argvs: () => readdirSync(argvFolder).flatMap((name) => argvsIn(readFileSync(join(argvFolder, name), 'utf8'))),
    calls,
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes down its arguments, each with a zero byte behind it, and becomes the real program. */
function listeningProgram(folder: string, name: string, real: string, argvFolder: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "$#" ${name} "$@" >> ${argvFolder}/$$\nexec ${real} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

/** A number of arguments, the program, the arguments; and again, for a process number that came twice. */
function argvsIn(text: string): string[][] {
  const words = text.split('\0').slice(0, -1)
  const found: string[][] = []
  while (words.length > 0) {
    const count = Number(words.shift())
    found.push(words.splice(0, count + 1))
  }
  return found
}

/** Passes bytes on as they are, and reads the same bytes beside it. */
function listeningSocket(real: string, calls: EngineCall[]) {
  const reader = createHttpServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 })
  const note = async (request: IncomingMessage) => {
    const call = { method: request.method ?? '', path: request.url ?? '', body: Buffer.alloc(0) }
    calls.push(call)
    call.body = await buffer(request).catch(() => call.body)
  }
  reader.on('request', (request, response) => void note(request).then(() => response.end()))
  // What follows is a language of its own.
  reader.on('upgrade', ({ method = '', url = '' }: IncomingMessage) =>
    calls.push({ method, path: url, body: Buffer.alloc(0) }),
  )
  reader.on('clientError', () => {})
  return createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: real, allowHalfOpen: true })
    const ear = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
    reader.emit('connection', ear as unknown as Socket)
    client.on('data', (chunk) => {
      ear.push(chunk)
      if (!engine.write(chunk)) client.pause()
    })
    engine.on('drain', () => client.resume())
    client.on('end', () => engine.end())
    engine.pipe(client)
    for (const side of [client, engine, ear]) {
      side.on('error', () => {})
      side.on('close', () => {
        client.destroy()
        engine.destroy()
        ear.destroy()
      })
    }
  })
}
