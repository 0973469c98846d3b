import { ApiError } from '@slipway/contract/client'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from '../instance/instance.ts'
import { backoffMs, pause } from '../instance/pause.ts'
import { eventsIn, type StreamEvent } from './events.ts'

type Options = {
  id: string
  signal: AbortSignal
  /** Each event once, in order, however often the connection is lost. */
  onEvent(event: StreamEvent): void
  /** The stream is lost, or is there again. */
  onLost?(lost: boolean): void
  /** For how long nothing may answer before it is given up: an instance that is upgraded is away for a while. */
  patienceMs?: number
}

const PATIENCE_MS = 5 * 60_000
/** Ends that were not told: the events may lag behind the row. */
const MOST_UNTOLD = 3

/**
 * Follows a deployment until it has ended or waits for somebody. Losing the stream is no failure: the deployment says how it stands,
 * and the stream goes on behind the last event; where no stream can be had, the deployment is asked again and again.
 */
export async function follow(instance: Instance, options: Options): Promise<Deployment> {
  const { id, signal, onLost, patienceMs = PATIENCE_MS } = options
  const place = { since: 0, streams: true }
  let untold = 0
  let lost = 0
  let answeredAt = performance.now()
  for (;;) {
    const before = place.since
    const how = place.streams ? await readStream(instance, options, place) : 'lost'
    if (place.since > before) lost = 0
    const now = await standing(instance, id, signal)
    if (now !== null) {
      answeredAt = performance.now()
      if (how === 'ended' || now.waitingOn) return now
      if (isEnded(now) && (!place.streams || ++untold > MOST_UNTOLD)) return now
    } else if (performance.now() - answeredAt > patienceMs) throw away(instance.url, id)
    if (how === 'lost') onLost?.(true)
    await pause(backoffMs(lost++), signal)
  }
}

const isEnded = ({ status }: Deployment) => !['queued', 'building', 'deploying'].includes(status)

async function readStream(
  { api }: Instance,
  { id, signal, onEvent, onLost }: Options,
  place: { since: number; streams: boolean },
) {
  try {
    const answer = await api.deployments.stream({
      params: { id },
      query: { since: place.since },
      headers: { accept: 'text/event-stream' },
      signal,
    })
    if (answer.status === 204) return 'ended'
    onLost?.(false)
    for await (const event of eventsIn(answer)) {
      const seq = Number(event.id)
      if (seq <= place.since) continue
      place.since = seq
      onEvent(event)
      if (event.name === 'end') return 'ended'
      // Somebody may have to answer, or has answered already.
      if (event.name === 'decision' || (event.name === 'prompt' && event.data.action === undefined)) {
        if ((await api.deployments.show({ params: { id } })).waitingOn) return 'ended'
      }
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ApiError && error.status < 500) {
      // On its way to the hosted cloud, or never came there: how it stands is all that there is.
      if (error.body.code === 'promotion_running') return 'early'
      if (error.status !== 429 && error.body.code !== 'not_now') throw error
      place.streams = false
    }
  }
  return 'lost'
}

/** How it stands; null when nothing answers. */
async function standing({ api }: Instance, id: string, signal: AbortSignal): Promise<Deployment | null> {
  try {
    return await api.deployments.show({ params: { id }, signal })
  } catch (error) {
    const gone = error instanceof Failure && error.exit === EXIT.unreachable
    if (!signal.aborted && (gone || (error instanceof ApiError && error.status >= 500))) return null
    throw error
  }
}

const away = (url: string, id: string) =>
  new Failure(
    EXIT.unreachable,
    'unreachable',
    `${url} has not answered for minutes.`,
    `The deployment may go on. Look again: slipway inspect ${id}`,
    { deploymentId: id },
  )
