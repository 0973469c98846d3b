import { Agent, request } from 'node:http'

export type Call = { method: 'GET' | 'POST'; path: string; body?: unknown }
export type Answered = {
  call: Call
  /** 0: the connection broke or was refused, and `failure` says how. */
  status: number
  failure: string
  retryAfter: string | undefined
  code: string | undefined
  startedAt: number
  endedAt: number
  /** Whether a connection was there for it; without one nothing was accepted. */
  connected: boolean
}

export type Callers = { answers: Answered[]; stop(): Promise<Answered[]> }

/** Callers that ask one thing after the other over connections they keep, until they are stopped. */
export function startCallers(url: string, token: string, count: number, next: (n: number) => Call): Callers {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const answers: Answered[] = []
  let going = true
  let asked = 0
  const caller = async () => {
    while (going) {
      const answer = await ask(agent, url, token, next(asked++))
      answers.push(answer)
      // Nobody is there: not a reason to spin.
      if (!answer.connected) await new Promise((done) => setTimeout(done, 10))
    }
  }
  const all = Promise.all(Array.from({ length: count }, caller))
  return {
    answers,
    async stop() {
      going = false
      await all
      agent.destroy()
      return answers
    },
  }
}

export function ask(agent: Agent | undefined, url: string, token: string, call: Call): Promise<Answered> {
  const startedAt = performance.now()
  const payload = call.body === undefined ? undefined : JSON.stringify(call.body)
  let connected = false
  return new Promise((done) => {
    const settle = (found: Partial<Answered>) =>
      done({
        call,
        status: 0,
        failure: '',
        retryAfter: undefined,
        code: undefined,
        startedAt,
        connected,
        ...found,
        endedAt: performance.now(),
      })
    const sent = request(new URL(call.path, url), {
      method: call.method,
      ...(agent && { agent }),
      headers: {
        authorization: `Bearer ${token}`,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
      },
    })
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (connected = true))
      else connected = true
    })
    sent.on('error', (error) => settle({ failure: error.message }))
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      answer.on('error', (error) => settle({ failure: `cut off: ${error.message}` }))
      answer.on('end', () => {
        const code = answer.statusCode === 503 ? (JSON.parse(text).code as string | undefined) : undefined
        settle({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], code })
      })
    })
    sent.end(payload)
  })
}
