import { ROLE_PERMISSIONS, type Role } from '@slipway/contract/permissions'

/** What a member gains and loses with another role, as sentences for the dialog. */
export function roleChange(name: string, from: Role, to: Role): string[] {
  const [before, after] = [ROLE_PERMISSIONS[from], ROLE_PERMISSIONS[to]]
  const gained = [...after].filter((one) => !before.has(one))
  const lost = [...before].filter((one) => !after.has(one))
  return [
    ...(gained.length > 0 ? [`${name} may then also: ${gained.join(', ')}.`] : []),
    ...(lost.length > 0 ? [`${name} may no longer: ${lost.join(', ')}.`] : []),
    ...(lost.length > 0 ? ['Their access tokens lose the same, from the next request on.'] : []),
    'What they have made stays as it is.',
  ]
}
