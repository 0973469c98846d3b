import type { RegistryLogin } from '../../engine/registry-login.ts'
import type { BuildLogins } from '../builder.ts'

/**
 * What a build signs in with: BuildKit knows one login for each host, whatever of it is fetched. Hosts that only a base image names
 * get the one that is for all of them.
 */
export function chooseLogins(images: string[], logins: BuildLogins | undefined): RegistryLogin[] | { message: string } {
  if (logins === undefined) return []
  const byHost = new Map<string, { image: string; login: RegistryLogin }>()
  for (const image of images) {
    const login = logins.for(image)
    if (login === null) continue
    const { image: other, login: before } = byHost.get(login.host) ?? { image, login }
    if (before.username !== login.username || before.password !== login.password) {
      const message = `${image} and ${other} need different credentials for ${login.host}, and a build signs in to a registry once.`
      return { message: `${message} Use one credential for both.` }
    }
    byHost.set(login.host, { image, login })
  }
  const named = [...byHost.values()].map(({ login }) => login)
  return [...named, ...logins.ofHosts().filter(({ host }) => !byHost.has(host))]
}

/** The first image with a digest that whoever builds may not have. */
export async function findWithheld(
  images: string[],
  logins: BuildLogins | undefined,
): Promise<{ message: string } | null> {
  for (const image of images.filter((one) => one.includes('@'))) {
    if (logins === undefined || (await logins.mayHave(image))) continue
    return { message: `The registry has no image ${image}, or does not show it to this project: access denied.` }
  }
  return null
}
