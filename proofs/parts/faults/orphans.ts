import { belongings, engineAt } from '../../../test-kit/engine.ts'
import { until } from '../../../test-kit/until.ts'
import { buildsOf } from './left-behind.ts'
import type { Pair } from './pair.ts'

/** Longer than strays may be there before they are looked for, and than a container may take to end. */
const GONE_MS = 180_000

/** What an instance has beyond its one release, that one's gateway and its edge, when all has had the time to go. */
export async function orphans({ site, socket, steady, pool }: Pair): Promise<string[]> {
  let found: string[] = []
  const look = async () => {
    const has = await belongings(socket, site.instance)
    const strangers = (names: (string | undefined)[], known: string[]) =>
      names.filter((name) => !known.some((one) => name?.includes(one)))
    const name = steady.replace(/_/g, '-')
    const edge = `${site.instance}-edge`
    const edges = has.containers.filter(({ Labels }) => Labels['slipway.edge.name'] === edge).length
    const { rows } = await pool.query("select id from deployment where status = 'ready'")
    const ready = rows.map(({ id }: { id: string }) => id.replace(/_/g, '-'))
    const serving = (
      await engineAt(socket).listContainers({
        filters: { label: [`slipway.project=${steady}`, 'slipway.service'] },
      })
    ).length
    found = [
      ...strangers(
        has.services.map(({ Spec }) => Spec?.Name),
        [name.slice(0, 20), `${edge}-${steady}`],
      ).map((one) => `service ${one}`),
      ...strangers(
        has.containers.filter(({ Labels }) => Labels['slipway.edge.name'] !== edge).map(({ Names }) => Names[0]),
        [name.slice(0, 20), `${edge}-${steady}.`],
      ).map((one) => `container ${one}`),
      ...(edges === 1 ? [] : [`${edges} containers of the edge`]),
      ...(serving === 1 ? [] : [`${serving} containers of the release`]),
      ...strangers(
        has.networks.map(({ Name }) => Name),
        [name, edge],
      ).map((one) => `network ${one}`),
      ...strangers(
        has.images.flatMap(({ RepoTags }) => RepoTags ?? []),
        ready,
      ).map((one) => `image ${one}`),
      ...buildsOf(`${site.instance}/`).map((pid) => `build process ${pid}`),
    ]
    return found.length === 0
  }
  await until('nothing is orphaned', GONE_MS, look).catch(() => {})
  return found
}
