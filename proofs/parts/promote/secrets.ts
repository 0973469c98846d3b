import { blindTo, everything, leaks } from '../seal/look.ts'
import type { Scene } from './ground.ts'

/** Both databases, logs and data directories, and all that was answered: nothing of them shows a secret in any form. */
export async function everythingSaid({ own, cloud, secret, answers, logs, subjects }: Scene) {
  const control = subjects[0]?.id ?? ''
  const found = secret.made.flatMap(blindTo)
  let bytes = 0
  for (const [site, log] of [
    [own, logs.own],
    [cloud, logs.cloud],
  ] as const) {
    const all = await everything(site, log, answers)
    bytes += Object.values(all).reduce((sum, one) => sum + one.length, 0)
    found.push(...leaks(all, secret.made, control).map((one) => `${site.instance}: ${one}`))
  }
  return { found, count: secret.made.length, where: `both dumps, logs, data directories and answers (${mb(bytes)} MB)` }
}

const mb = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
