import { request } from 'node:http'

export type EngineEvent = { Type: string; Action: string; Actor: { Attributes?: Record<string, string> } }

/** Everything that an engine tells of itself from now on. */
export async function watchEvents(socketPath: string): Promise<{ events: EngineEvent[]; stop(): void }> {
  const events: EngineEvent[] = []
  let rest = ''
  const call = request({ socketPath, path: '/events', method: 'GET' })
  await new Promise<void>((connected, failed) => {
    call.on('error', failed)
    call.on('response', (answer) => {
      answer.setEncoding('utf8')
      answer.on('error', () => {})
      answer.on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line.trim() !== '') events.push(JSON.parse(line))
      })
      connected()
    })
    call.end()
  })
  return { events, stop: () => call.destroy() }
}

/** What an engine does by itself: health checks, and starting again what it was told to keep running. */
export function ownDoing({ Type, Action, Actor }: EngineEvent, restless: string[]): boolean {
  const name = Actor.Attributes?.name ?? Actor.Attributes?.container ?? ''
  if (Type === 'container' && /^(exec_(create|start|die)|health_status)(:|$)/.test(Action)) return true
  if (Type === 'container' && restless.includes(name)) return true
  // A container that is started again joins its network anew.
  return Type === 'network' && /^(dis)?connect$/.test(Action)
}
