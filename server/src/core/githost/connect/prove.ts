import type { HostInstallation, HostPage, HostRepository, HostSession } from '../../../drivers/githost/githost.ts'
import { failed } from '../refuse.ts'

const MOST_PAGES = 100
/** The host narrows a token to at most so many. */
const MOST_IDS = 500

export type Proof = { installation: HostInstallation; repoIds: number[] | null; login: string }

/**
 * Whose installation is it? That the person's own token lists it is necessary and not enough: it lists what they can
 * read, while the installation reads everything. So the link reaches as far as they are admin.
 */
export async function prove(
  person: HostSession,
  installationId: number | null,
  asInstallation: (id: number) => Promise<HostSession>,
): Promise<Proof> {
  const me = await person.person()
  const listed = await allOf((page) => person.installations(page))
  const [installation, second] = listed.filter(({ id }) => installationId === null || id === installationId)
  if (installation === undefined) {
    throw failed('forbidden', `${me.login} cannot see this installation of the app.`)
  }
  if (second !== undefined)
    throw failed('forbidden', 'The app is installed on several accounts: open installUrl and choose one.')
  if (installation.account.id === me.id) return { installation, repoIds: null, login: me.login }
  const theirs = await allOf((page) => person.installationRepositories(installation.id, page))
  const everything = await (await asInstallation(installation.id)).repositories('installation', 1)
  const whole = everything.more ? await allOf(pagesOf(await asInstallation(installation.id))) : everything.data
  const repoIds = extentOf(theirs, whole)
  if (repoIds?.length === 0) {
    throw failed(
      'forbidden',
      `${me.login} is admin of no repository there: an owner of ${installation.account.login} must connect.`,
    )
  }
  return { installation, repoIds, login: me.login }
}

/** Null: all, also later ones, because the person is admin of every repository that there is. */
export function extentOf(theirs: HostRepository[], whole: Pick<HostRepository, 'id'>[]): number[] | null {
  const administered = theirs.filter(({ permissions }) => permissions.admin).map(({ id }) => id)
  const known = new Set(administered)
  if (whole.length > 0 && whole.every(({ id }) => known.has(id))) return null
  const there = new Set(whole.map(({ id }) => id))
  return administered.filter((id) => there.has(id)).slice(0, MOST_IDS)
}

const pagesOf = (host: HostSession) => (page: number) => host.repositories('installation', page)

async function allOf<T>(read: (page: number) => Promise<HostPage<T>>): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data, more } = await read(page)
    all.push(...data)
    if (!more) return all
  }
  throw failed('forbidden', 'There are more repositories than can be compared: connect an account instead.')
}
