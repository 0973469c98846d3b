import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

type Question = { method?: 'GET' | 'POST' | 'DELETE'; path: string; body?: object; signal: AbortSignal }

/** The engine answered with an error. */
export class EngineRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'EngineRefusal'
    this.status = status
  }
}

/** One JSON request to the engine behind a unix socket. Five plain requests need no dockerode; paths are unversioned. */
export function askSocket<T>(socketPath: string, { method = 'GET', path, body, signal }: Question): Promise<T> {
  const json = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    host: 'engine',
    ...(json !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
  }
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, headers, signal, agent: false }, async (answer) => {
      try {
        const said = await text(answer)
        const status = answer.statusCode ?? 500
        if (status < 400) resolve((isJson(answer) ? JSON.parse(said) : said) as T)
        else reject(new EngineRefusal(status, messageOf(said)))
      } catch (error) {
        reject(error)
      }
    })
    asked.on('error', reject).end(json)
  })
}

/** A start or a removal answers with nothing, a ping and a log with text. */
function isJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false
}

function messageOf(said: string): string {
  try {
    const { message } = JSON.parse(said) as { message?: unknown }
    return typeof message === 'string' ? message : said
  } catch {
    return said.trim()
  }
}
