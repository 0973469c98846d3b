/** One answer, as far as the proof looks at it. */
type Reply = { status: number; code?: string; requires?: string; body: Record<string, unknown> }
export type Ask = (method: string, path: string, body?: unknown) => Promise<Reply>

const DEADLINE_MS = 20_000

/** Asks an instance as the bearer of a token, or as nobody. */
export const asker =
  (url: string, token?: string): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const text = await response.text()
    const parsed = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
    return { status: response.status, code: parsed.code, requires: parsed.requires, body: parsed }
  }
