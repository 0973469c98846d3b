import { run } from '../../../lab/run.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import { blindTo, everything, leaks } from '../seal/look.ts'
import { foundIn } from '../seal/secrets.ts'
import type { Scene } from './ground.ts'

/** Of each secret what no form escapes, too: however often it was put into a text that was put into another. */
const wanted = ({ secret: { made } }: Pick<Scene, 'secret'>) =>
  made.flatMap((one) => [one, ...(one.match(/[A-Za-z0-9]{20,}/g) ?? [])])

/** What the databases hold in the moment of a blow: of that, much is gone in the end. */
export async function heldNow(scene: Pick<Scene, 'own' | 'cloud' | 'secret'>): Promise<string[]> {
  const { own, cloud } = scene
  const looks = [own, cloud].map(async ({ databaseUrl, instance }) => {
    const dump = await run([tool('pg_dump'), '--data-only', '--inserts', databaseUrl], { env: toolEnv() })
    const found = foundIn(Buffer.from(dump), wanted(scene))
    return found.map((secret) => `${instance}: in that moment its database showed ${secret.slice(0, 6)}…`)
  })
  return (await Promise.all(looks)).flat()
}

/** Both databases, logs and data directories, and all that was answered: nothing of them shows a secret in any form. */
export async function everythingSaid(scene: Scene) {
  const { own, cloud, secret, answers, logs, subjects } = scene
  const control = subjects[0]?.id ?? ''
  const found = wanted(scene).flatMap(blindTo)
  let bytes = 0
  for (const [site, log] of [
    [own, logs.own],
    [cloud, logs.cloud],
  ] as const) {
    const all = await everything(site, log, answers)
    bytes += Object.values(all).reduce((sum, one) => sum + one.length, 0)
    found.push(...leaks(all, wanted(scene), control).map((one) => `${site.instance}: ${one}`))
  }
  return {
    found,
    count: secret.made.length,
    where: `both dumps (at each blow and in the end), logs, data directories and answers (${mb(bytes)} MB)`,
  }
}

const mb = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
