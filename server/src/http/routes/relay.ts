import { relay } from '@slipway/contract/relay'
import { followRelay } from '../../core/githost/relay/follow-relay.ts'
import type { RelayEvent } from '../../core/githost/relay/relays.ts'
import type { Platform } from '../../core/platform.ts'
import { resumePoint } from '../event-stream.ts'
import type { Streams } from '../open-streams.ts'
import { on, type Route } from '../route.ts'

export const relayRoutes = (platform: Platform, stream: Streams): Route[] => [
  on(relay.stream, async ({ caller, query, request, reply }) => {
    const after = { number: resumePoint(request, query.after), mark: query.mark ?? null }
    const { linkId, events } = await stream.inLine(() => followRelay(platform, caller, after))
    await stream.open({ caller, target: { link: linkId } }, (send) =>
      send(reply, async function* (signal) {
        // Some proxies send nothing on before the first bytes of a body.
        yield ': here\n\n'
        for await (const some of events(signal)) yield some.map(encode).join('')
      }),
    )
  }),
]

/** What is not a delivery has no number of its own: whoever breaks off there asks again from where it was. */
function encode(event: RelayEvent): string {
  const { kind, ...data } = event
  if (kind !== 'delivery') return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  const { number, ...said } = data as Extract<RelayEvent, { kind: 'delivery' }>
  return `id: ${number}\nevent: delivery\ndata: ${JSON.stringify(said)}\n\n`
}
