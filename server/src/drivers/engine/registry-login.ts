/** What a registry is signed in to with; `host` as it stands in the names of its images. */
export type RegistryLogin = { host: string; username: string; password: string }

/** The public registry is known to engines and their clients by this address. */
const PUBLIC = { host: 'docker.io', address: 'https://index.docker.io/v1/' }

export const addressOf = (host: string) => (host === PUBLIC.host ? PUBLIC.address : host)

/**
 * As the engine's API takes it (X-Registry-Auth). `null` is said, too: without a word a service keeps what it was given for its
 * last image, and Swarm would send that to the registry of the next one, whoever runs it.
 */
export const authOf = (login: RegistryLogin | null): object =>
  login === null ? {} : { username: login.username, password: login.password, serveraddress: addressOf(login.host) }
