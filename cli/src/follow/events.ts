import type { Answered } from '@slipway/contract/client'

/** One server-sent event; its number is where reading goes on after it. */
export type StreamEvent = { name: string; id: string; data: Record<string, unknown> }

/** Nothing for this long, not even the comment that comes every 12 s: the connection is dead, whatever TCP says. */
const SILENT_MS = 45_000

/** Reads an answer of text/event-stream. Ends with the connection, and throws when that is cut. */
export async function* eventsIn(answer: Answered, silentMs = SILENT_MS): AsyncGenerator<StreamEvent> {
  let data: string[] = []
  let name = 'message'
  let id = ''
  for await (const line of linesIn(answer, silentMs)) {
    if (line === '') {
      const value = data.length > 0 ? parsed(data.join('\n')) : null
      if (value) yield { name, id, data: value }
      data = []
      name = 'message'
    } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('id:')) id = line.slice(3).trim()
  }
}

/** Lines of an answer as they come, without what ends them. */
export async function* linesIn(answer: Answered, silentMs = SILENT_MS): AsyncGenerator<string> {
  const reader = answer.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silentMs)
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.replace(/\r$/, '')
    }
    rest += decoder.decode()
    if (rest !== '') yield rest
  } finally {
    // Whoever stops reading lets the connection go.
    await reader.cancel().catch(() => {})
  }
}

async function withinSilence<T>(read: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('The stream has fallen silent.')), ms)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}

/** What is cut in the middle is told again by the next connection. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
