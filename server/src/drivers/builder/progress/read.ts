import { StringDecoder } from 'node:string_decoder'

/** What BuildKit reports, as `docker-buildx --progress=rawjson` prints it. */
export type ProgressDocument = {
  vertexes?: Vertex[]
  statuses?: { id: string; vertex: string; current?: number; total?: number; completed?: string }[]
  /** `data` is base64: a piece of output, not a line. */
  logs?: { vertex: string; stream: number; data: string; timestamp: string }[]
}

export type Vertex = {
  digest: string
  name: string
  started?: string
  completed?: string
  cached?: boolean
  error?: string
}

export type ProgressReader = { push(chunk: Buffer): void; end(): void }

/**
 * Cuts the output into documents and the text around them. Old buildx (0.13) indents a document over many lines, newer
 * ones print one per line. JSON has no raw newline inside a string, so a line that is exactly `}` can only be the end of
 * an indented document.
 */
export function readProgress(take: {
  document(document: ProgressDocument): void
  text(line: string): void
}): ProgressReader {
  const decoder = new StringDecoder('utf8')
  let unfinished = ''
  let indented: string[] | undefined

  const line = (text: string) => {
    if (indented) {
      indented.push(text)
      if (text !== '}') return
      const whole = indented.join('\n')
      indented = undefined
      document(whole)
    } else if (text === '{') indented = [text]
    else if (text.startsWith('{"')) document(text)
    else take.text(text)
  }
  const document = (text: string) => {
    const parsed = parse(text)
    if (parsed) take.document(parsed)
    else for (const part of text.split('\n')) take.text(part)
  }
  const lines = (text: string) => {
    const parts = (unfinished + text).split('\n')
    unfinished = parts.pop() ?? ''
    parts.forEach(line)
  }
  return {
    push: (chunk) => lines(decoder.write(chunk)),
    end() {
      lines(decoder.end())
      if (unfinished !== '') line(unfinished)
      unfinished = ''
    },
  }
}

function parse(text: string): ProgressDocument | undefined {
  try {
    return JSON.parse(text) as ProgressDocument
  } catch {
    return undefined
  }
}
