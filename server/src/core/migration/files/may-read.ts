/** What a file is read as. */
export type Reading = 'compose' | 'env'

const FORBIDDEN =
  /^\/(proc|sys|dev|run|boot)(\/|$)|\/\.(ssh|gnupg|aws|kube)(\/|$)|^\/etc\/(g?shadow|sudoers|ssh|ssl\/private|security)/
/** Where no env file is, unless it lies beside its compose file. */
const PRIVATE = /^\/(etc|usr|var\/lib\/docker|var\/run)(\/|$)/

/**
 * Whether a file may be read, by where it ends once all links are followed. Compose files are known by their names: a link called
 * `x.yaml` that leads to the passwords of a server is not one. `beside` is the folder of the compose file that asks for an env file.
 */
export function mayRead(real: string, as: Reading, beside: string): boolean {
  if (!real.startsWith('/') || real.includes('\0') || FORBIDDEN.test(real)) return false
  if (as === 'compose') return /\.ya?ml$/i.test(real)
  return real.startsWith(`${beside}/`) || !PRIVATE.test(real)
}
