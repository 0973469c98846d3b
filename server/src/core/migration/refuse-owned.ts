import { Refusal } from '../../errors.ts'

/** An engine serves one organization of one instance: what runs there is nobody else's to look at. */
export function refuseOwned({ org, foreign }: { org: string | null; foreign: string | null }, orgId: string): void {
  if (foreign !== null)
    throw new Refusal(
      'server_unreachable',
      `The engine of this server serves another instance of Slipway, ${foreign}.`,
      {
        hint: 'Use the other instance, or let whoever runs this one take the server over.',
      },
    )
  if (org !== null && org !== orgId)
    throw new Refusal('server_unreachable', 'The engine of this server serves another organization.', {
      hint: 'The other organization frees it by removing it from its own servers.',
    })
}
